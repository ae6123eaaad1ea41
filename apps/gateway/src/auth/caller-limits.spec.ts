import { Fault } from '@tidings/kernel';
import fc from 'fast-check';
import { type Client, openClient } from '../testing/gateway-client.ts';
import { APPLICATION, World } from '../testing/gateway-world.ts';
import { callerOf } from './caller.ts';
import { type CallerLimit, CallerLimits } from './caller-limits.ts';

function limitsAt(limit: CallerLimit) {
  const clock = { ms: 1_800_000_000_000, now: () => clock.ms };
  const limits = new CallerLimits(clock, limit);
  const ask = (address: string, application = 'A'): number | undefined => {
    try {
      limits.take(application, address);
      return undefined;
    } catch (error) {
      expect(error).toMatchObject({ kind: 'throttled', message: 'Too many requests' });
      return Fault.from(error).retryAfterSeconds;
    }
  };
  return { clock, limits, ask };
}

describe('CallerLimits', () => {
  it('allows the burst at once, and more with time', () => {
    const { clock, ask } = limitsAt({ burst: 3, perMinute: 6 });
    expect([1, 2, 3, 4].map(() => ask('1.1.1.1'))).toEqual([undefined, undefined, undefined, 10]);
    clock.ms += 9_999;
    expect(ask('1.1.1.1')).toBe(1);
    clock.ms += 1;
    expect([ask('1.1.1.1'), ask('1.1.1.1')]).toEqual([undefined, 10]);
  });

  it('counts each caller separately for each application', () => {
    const { ask } = limitsAt({ burst: 1, perMinute: 1 });
    expect([ask('1.1.1.1'), ask('1.1.1.2'), ask('1.1.1.1', 'B'), ask('1.1.1.1')]).toEqual([
      ...[undefined, undefined, undefined, 60],
    ]);
  });

  it('locks no caller out for longer than its limit when the clock is set back', () => {
    const { clock, ask } = limitsAt({ burst: 1, perMinute: 1 });
    ask('1.1.1.1');
    clock.ms -= 86_400_000;
    expect(ask('1.1.1.1')).toBe(60);
    clock.ms += 60_000;
    expect(ask('1.1.1.1')).toBeUndefined();
  });

  it('remembers a bounded number of the latest callers', () => {
    const { limits, ask } = limitsAt({ burst: 1, perMinute: 1, remembered: 3 });
    for (const address of ['1.1.1.1', '1.1.1.2', '1.1.1.3']) ask(address);
    expect(ask('1.1.1.1')).toBe(60);
    for (let i = 0; i < 100; i++) ask(`2.2.2.${i}`);
    expect(limits.size).toBe(3);
  });

  it('never allows more than the burst and the refill since then', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 50 }),
        fc.integer({ min: 1, max: 600 }),
        fc.array(fc.integer({ min: 0, max: 3000 }), { minLength: 1, maxLength: 200 }),
        (burst, perMinute, pauses) => {
          const { clock, ask } = limitsAt({ burst, perMinute });
          const since = clock.ms;
          let allowed = 0;
          for (const pause of pauses) {
            clock.ms += pause;
            const wait = ask('1.1.1.1');
            if (wait === undefined) allowed++;
            else {
              clock.ms += wait * 1000;
              expect(ask('1.1.1.1')).toBeUndefined();
              allowed++;
            }
            expect(allowed).toBeLessThanOrEqual(burst + ((clock.ms - since) * perMinute) / 60_000 + 1e-3);
          }
        },
      ),
    );
  });
});

it.each([
  ['192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:0DB8:0001:0002::9', '2001:db8:1:2::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['', ''],
])('the caller behind %s is %s', (address, caller) => {
  expect(callerOf(address)).toBe(caller);
});

describe('createTestDevice', () => {
  let world: World;
  let client: Client;
  let made: number;
  beforeAll(async () => {
    world = new World();
    made = 0;
    world.services.testDevices.setTestDevice = async () => {
      made++;
      return {};
    };
    client = await openClient(world);
  });
  afterAll(() => client.close());

  const device = { application: APPLICATION, push_token: 't', device_type: 3, name: 'Phone' };
  const wrong = (text: string) => ({ status: 200, body: { status_code: 210, status_message: text, response: null } });

  it.each([
    [{ name: 'x'.repeat(256) }, 'name: must be 1 to 255 characters'],
    [{ name: '' }, 'name: must be 1 to 255 characters'],
    [{ description: 'x'.repeat(1025) }, 'description: must be 0 to 1024 characters'],
    [{ push_token: 'ü'.repeat(2049) }, 'push_token: must have up to 4096 bytes'],
    [{ push_token: 'x'.repeat(70_000) }, 'push_token: must have up to 4096 bytes'],
    [{ language: 'x'.repeat(1000) }, 'language: must be a two-letter code'],
  ])('limits the size of its fields: %#', async (more, text) => {
    expect(await client.json13('createTestDevice', { ...device, ...more })).toMatchObject(wrong(text));
    expect(made).toBe(0);
  });

  it('is limited by the address of its caller', async () => {
    const ask = () => client.json13('createTestDevice', device);
    let reply = await ask();
    while (reply.status === 200 && made < 1000) reply = await ask();
    expect(reply).toMatchObject({
      status: 429,
      body: { status_code: 429, status_message: 'Too many requests', response: null },
      headers: { 'retry-after': '1' },
    });
    expect(made).toBeGreaterThanOrEqual(120);
  });
});
