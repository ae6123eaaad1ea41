import { Fault } from '@tidings/kernel';
import { openClient } from '../testing/gateway-client.ts';
import { World } from '../testing/gateway-world.ts';
import { Administrators } from './administrators.ts';

const TOKEN = 'the-token-of-administrators';

function administrators() {
  const clock = { ms: 1_800_000_000_000, now: () => clock.ms };
  const own = new Administrators(TOKEN, clock);
  const present = (token: string | undefined, address = '192.0.2.1'): string => {
    try {
      own.check(token && `Bearer ${token}`, address);
      return '';
    } catch (error) {
      const { kind, retryAfterSeconds } = Fault.from(error);
      return kind === 'throttled' ? `throttled for ${retryAfterSeconds} s` : kind;
    }
  };
  const fail = (times: number, address?: string): string[] =>
    Array.from({ length: times }, () => present('wrong', address));
  return { clock, present, fail };
}

describe('administrator tokens (R-LM8)', () => {
  it('are refused if they are wrong or missing', () => {
    const { present } = administrators();
    expect([present(TOKEN), present('wrong'), present(undefined)]).toEqual(['', 'unauthorized', 'unauthorized']);
  });

  it('are throttled after 20 wrong tokens from an address, until a minute after the first', () => {
    const { clock, fail } = administrators();
    expect(fail(1)).toEqual(['unauthorized']);
    clock.ms += 50_000;
    expect(new Set(fail(19))).toEqual(new Set(['unauthorized']));
    expect(fail(2)).toEqual(['throttled for 10 s', 'throttled for 10 s']);
    clock.ms += 9_999;
    expect(fail(1)).toEqual(['throttled for 1 s']);
    clock.ms += 1;
    expect(new Set(fail(20))).toEqual(new Set(['unauthorized']));
    expect(fail(1)).toEqual(['throttled for 60 s']);
  });

  it('are accepted from a throttled address if they are right', () => {
    const { present, fail } = administrators();
    fail(100);
    expect([present(TOKEN), present('wrong')]).toEqual(['', 'throttled for 60 s']);
  });

  it('are counted by address, which is the network for IPv6', () => {
    const { fail } = administrators();
    fail(20, '2001:db8::1');
    expect([fail(1, '2001:db8::2'), fail(1, '2001:db8:0:1::1'), fail(1, '192.0.2.2')]).toEqual([
      ['throttled for 60 s'],
      ['unauthorized'],
      ['unauthorized'],
    ]);
  });

  it('are counted for a bounded number of the latest addresses', () => {
    const { fail } = administrators();
    fail(20, '192.0.2.1');
    for (let i = 0; i < 10_000; i++) fail(1, `10.0.${i >> 8}.${i & 255}`);
    expect(fail(1, '192.0.2.1')).toEqual(['unauthorized']);
  });

  it('begin a new window when the clock is set back', () => {
    const { clock, fail } = administrators();
    fail(20);
    clock.ms -= 3_600_000;
    expect(fail(1)).toEqual(['unauthorized']);
  });

  it('are throttled on all of /admin/v1 for the seconds of Retry-After, except for the right token', async () => {
    const world = new World();
    const client = await openClient(world);
    try {
      const guess = (verb: string, path: string) => client.admin(verb, path, undefined, 'a-guess');
      for (let i = 0; i < 20; i++) expect(await guess('GET', 'tokens')).toMatchObject({ status: 401 });
      const refused = await guess('POST', 'accounts');
      expect(refused).toMatchObject({
        status: 429,
        body: { error: { kind: 'throttled', message: 'Too many requests' } },
      });
      expect(await client.send('GET', '/admin/v1/settled')).toMatchObject({ status: 429 });
      expect(await client.admin('GET', 'tokens')).toMatchObject({ status: 200 });
      expect(await guess('GET', 'tokens')).toMatchObject({ status: 429 });

      const seconds = Number(refused.headers['retry-after']);
      expect(seconds).toBeGreaterThan(0);
      expect(seconds).toBeLessThanOrEqual(60);
      world.clock.advance(seconds * 1000);
      expect(await guess('GET', 'tokens')).toMatchObject({ status: 401 });
    } finally {
      await client.close();
    }
  });
});
