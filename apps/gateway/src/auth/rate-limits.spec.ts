import { Fault } from '@tidings/kernel';
import fc from 'fast-check';
import { type Client, openClient, World } from '../testing/world.ts';
import { RateLimits } from './rate-limits.ts';

/** A gateway's limits on a clock that stands still, and what becomes of a request of a token. */
function limitsAt(start = 1_800_000_000_000) {
  const clock = { ms: start, now: () => clock.ms };
  const limits = new RateLimits(clock);
  /** Undefined where the request is allowed, else the seconds to wait. */
  const ask = (id: string, requests: number, seconds: number): number | undefined => {
    try {
      limits.take({ id, rateLimit: { requests, seconds } });
      return undefined;
    } catch (error) {
      return Fault.from(error).retryAfterSeconds;
    }
  };
  return { clock, limits, ask };
}

describe('RateLimits (R-LM2)', () => {
  it('allows as many requests at once, and as many more in the time', () => {
    const { clock, ask } = limitsAt();
    expect([1, 2, 3, 4].map(() => ask('t', 3, 60))).toEqual([undefined, undefined, undefined, 20]);
    clock.ms += 19_999;
    expect(ask('t', 3, 60)).toBe(1);
    clock.ms += 1;
    expect([ask('t', 3, 60), ask('t', 3, 60)]).toEqual([undefined, 20]);
    clock.ms += 3_600_000;
    expect([1, 2, 3, 4].map(() => ask('t', 3, 60))).toEqual([undefined, undefined, undefined, 20]);
  });

  it('counts each token for itself, and one without a limit not at all', () => {
    const { limits, ask } = limitsAt();
    expect([ask('a', 1, 1), ask('b', 1, 1), ask('a', 1, 1)]).toEqual([undefined, undefined, 1]);
    for (let i = 0; i < 10; i++) limits.take({ id: 'a', rateLimit: undefined });
  });

  it('follows a changed limit, and a clock that is set back', () => {
    const { clock, ask } = limitsAt();
    ask('t', 100, 1);
    expect([1, 2, 3].map(() => ask('t', 2, 3600))).toEqual([undefined, undefined, 1800]);
    clock.ms -= 7_200_000;
    expect(ask('t', 2, 3600)).toBe(1800);
    clock.ms += 1_800_000;
    expect(ask('t', 2, 3600)).toBeUndefined();
  });

  it('never allows more than the bucket and what grows, and then lets in who waits as told', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 50 }),
        fc.integer({ min: 1, max: 100 }),
        fc.array(fc.integer({ min: 0, max: 3000 }), { minLength: 1, maxLength: 200 }),
        (requests, seconds, pauses) => {
          const { clock, ask } = limitsAt();
          const since = clock.ms;
          let allowed = 0;
          for (const pause of pauses) {
            clock.ms += pause;
            const wait = ask('t', requests, seconds);
            if (wait === undefined) allowed++;
            else {
              clock.ms += wait * 1000;
              expect(ask('t', requests, seconds)).toBeUndefined();
              allowed++;
            }
            const grown = ((clock.ms - since) * requests) / (seconds * 1000);
            expect(allowed).toBeLessThanOrEqual(requests + grown + 1e-3);
          }
        },
      ),
    );
  });
});

describe('a token over its limit', () => {
  let world: World;
  let client: Client;
  beforeAll(async () => {
    world = new World();
    // The clock moves, but not by the hours in which one more request would come to be allowed.
    for (const [name, view] of world.tokens) {
      world.tokens.set(name, { ...view, rateLimit: { requests: 2, seconds: 86_400 } });
    }
    client = await openClient(world);
  });
  afterAll(() => client.close());

  const retryAfter = expect.stringMatching(/^\d+$/) as unknown;
  const text = 'Too many requests';
  const json13 = { status: 429, body: { status_code: 429, status_message: text, response: null } };

  it('is told so in the envelope of what it asks, with the time to wait', async () => {
    expect(await client.json13('listTags', { auth: 'api' })).toMatchObject({ status: 200 });
    // A request with a fault counts, too.
    expect(await client.json13('addTag', { auth: 'api' })).toMatchObject({ status: 400 });
    const refused = await client.json13('listTags', { auth: 'api' });
    expect(refused).toMatchObject({ ...json13, headers: { 'retry-after': retryAfter } });
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(40_000);
    // The limit comes before required arguments, and counts for all methods together.
    expect(await client.json13('addTag', { auth: 'api' })).toMatchObject(json13);
    expect(await client.apiV2('statistics/messages/getDeliveryFunnel', {}, { authorization: 'Api api' })).toMatchObject(
      {
        status: 429,
        body: { code: 8, message: text, details: [] },
        headers: { 'retry-after': retryAfter },
      },
    );
    expect(await client.apiV2('audience/bulkSetTags', { auth: 'api' })).toMatchObject({
      status: 429,
      body: { message: text },
      headers: { 'retry-after': retryAfter },
    });
  });

  it('leaves others alone', async () => {
    const headers = { authorization: 'Token device' };
    expect(await client.json13('listTags', { auth: 'foreign' })).toMatchObject({ status: 200 });
    expect(await client.json13('getInApps', { application: 'AAAAA-00001', hwid: 'x' }, headers)).toMatchObject({
      status: 200,
    });
  });
});
