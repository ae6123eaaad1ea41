import { type Clock, Fault } from '@tidings/kernel';
import type { RateLimit, Tokens } from '@tidings/rpc';
import fc from 'fast-check';
import { type Client, openClient } from '../testing/gateway-client.ts';
import { World } from '../testing/gateway-world.ts';
import { RateLimits } from './rate-limits.ts';

class Bucket {
  readonly amounts: number[] = [];
  readonly #clock: Clock;
  #left = Infinity;
  #at = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  take(limit: RateLimit, requested: number, unused: number) {
    const perMs = limit.requests / (limit.seconds * 1000);
    const now = this.#clock.now();
    this.#left = Math.min(limit.requests, this.#left + unused + Math.max(0, now - this.#at) * perMs);
    this.#at = now;
    const granted = Math.min(requested, Math.floor(this.#left + 1e-6));
    this.#left -= granted;
    this.amounts.push(requested);
    return { granted, waitMs: Math.max(0, Math.ceil((1 - this.#left) / perMs - 1e-3)) };
  }
}

function deployment(gateways = 1) {
  const clock = { ms: 1_800_000_000_000, now: () => clock.ms };
  const buckets = new Map<string, Bucket>();
  const bucketOf = (id: string): Bucket => {
    const bucket = buckets.get(id) ?? new Bucket(clock);
    buckets.set(id, bucket);
    return bucket;
  };
  const takeRequests: Tokens['takeRequests'] = async ({ id, rateLimit, requested, unused }) =>
    bucketOf(id).take(rateLimit!, requested, unused);
  const limits = Array.from({ length: gateways }, () => new RateLimits({ takeRequests }, clock));
  const ask = async (id: string, rateLimit: RateLimit | undefined, gateway = 0): Promise<number | undefined> => {
    try {
      await limits[gateway]!.take({ id, rateLimit });
      return undefined;
    } catch (error) {
      return Fault.from(error).retryAfterSeconds;
    }
  };
  return { clock, limits, ask, bucketOf };
}

const per = (seconds: number, requests: number): RateLimit => ({ requests, seconds });

describe('RateLimits (R-LM2)', () => {
  it('allows the burst at once, and as many more in the time', async () => {
    const { clock, ask } = deployment();
    const burst = (count: number) => Promise.all(Array.from({ length: count }, () => ask('t', per(60, 3))));
    expect(await burst(4)).toEqual([undefined, undefined, undefined, 20]);
    clock.ms += 19_999;
    expect(await ask('t', per(60, 3))).toBe(1);
    clock.ms += 1;
    expect(await burst(2)).toEqual([undefined, 20]);
    clock.ms += 3_600_000;
    expect(await burst(4)).toEqual([undefined, undefined, undefined, 20]);
  });

  it('counts each token separately, and does not count a token without a limit', async () => {
    const { limits, ask, bucketOf } = deployment();
    expect([await ask('a', per(1, 1)), await ask('b', per(1, 1)), await ask('a', per(1, 1))]).toEqual([
      ...[undefined, undefined, 1],
    ]);
    for (let i = 0; i < 10; i++) expect(limits[0]!.take({ id: 'c', rateLimit: undefined })).toBeUndefined();
    expect(bucketOf('c').amounts).toEqual([]);
  });

  it('follows a changed limit at once', async () => {
    const { ask } = deployment();
    expect([await ask('t', per(3600, 1)), await ask('t', per(3600, 1))]).toEqual([undefined, 3600]);
    expect(await ask('t', per(1, 1000))).toBe(1);
    expect(await ask('t', undefined)).toBeUndefined();
  });

  it('sends one call for all waiting requests, and a few a second for a continuous stream', async () => {
    const { clock, ask, bucketOf } = deployment();
    await Promise.all(Array.from({ length: 100 }, () => ask('t', per(1, 1000))));
    expect(bucketOf('t').amounts).toEqual([100]);
    for (let i = 0; i < 2000; i++) {
      clock.ms += 1;
      expect(await ask('t', per(1, 1000))).toBeUndefined();
    }
    expect(bucketOf('t').amounts.length).toBeLessThan(12);
  });

  it('sends one call a second while it refuses', async () => {
    const { clock, ask, bucketOf } = deployment();
    for (let i = 0; i < 1000; i++) {
      clock.ms += 10;
      await ask('t', per(86_400, 1));
    }
    expect(bucketOf('t').amounts.length).toBeLessThanOrEqual(12);
  });

  it('returns unused prefetched requests', async () => {
    const { clock, ask } = deployment(2);
    // The second request prefetches what grows back in a quarter of a second: 25 of the 100.
    expect([await ask('t', per(1, 100)), await ask('t', per(1, 100))]).toEqual([undefined, undefined]);
    clock.ms += 600;
    expect(await ask('t', per(1, 100))).toBeUndefined();
    const elsewhere = await Promise.all(Array.from({ length: 99 }, () => ask('t', per(1, 100), 1)));
    expect(elsewhere.filter((wait) => wait === undefined)).toHaveLength(99);
  });

  it('fails if the registry does not answer', async () => {
    const away = { takeRequests: () => Promise.reject(Fault.unavailable('registry does not answer')) };
    const limits = new RateLimits(away, { now: () => 0 });
    await expect(limits.take({ id: 't', rateLimit: per(1, 1) })).rejects.toThrow('registry does not answer');
  });

  it('never allows more than the bucket and its refill over all gateways, and allows a request after the announced wait', async () => {
    const step = fc.record({ pause: fc.integer({ min: 0, max: 3000 }), gateway: fc.integer({ min: 0, max: 2 }) });
    const steps = fc.array(step, { minLength: 1, maxLength: 100 });
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 50 }),
        fc.integer({ min: 1, max: 100 }),
        steps,
        async (requests, seconds, calls) => {
          const { clock, ask } = deployment(3);
          const since = clock.ms;
          let allowed = 0;
          for (const { pause, gateway } of calls) {
            clock.ms += pause;
            const wait = await ask('t', per(seconds, requests), gateway);
            if (wait !== undefined) {
              // Other gateways return prefetched requests with their next call.
              clock.ms += wait * 1000;
              expect(await ask('t', per(seconds, requests), gateway)).toBeUndefined();
            }
            allowed++;
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
    for (const [name, view] of world.tokens) {
      world.tokens.set(name, { ...view, rateLimit: { requests: 2, seconds: 86_400 } });
    }
    client = await openClient(world);
  });
  afterAll(() => client.close());

  const retryAfter = expect.stringMatching(/^\d+$/) as unknown;
  const text = 'Too many requests';
  const json13 = { status: 429, body: { status_code: 429, status_message: text, response: null } };

  it('gets the refusal in the envelope of the method, with the time to wait', async () => {
    expect(await client.json13('listTags', { auth: 'api' })).toMatchObject({ status: 200 });
    expect(await client.json13('addTag', { auth: 'api' })).toMatchObject({ status: 400 });
    const refused = await client.json13('listTags', { auth: 'api' });
    expect(refused).toMatchObject({ ...json13, headers: { 'retry-after': retryAfter } });
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(40_000);
    // The limit is checked before required arguments.
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

  it('does not affect other tokens', async () => {
    const headers = { authorization: 'Token device' };
    expect(await client.json13('listTags', { auth: 'foreign' })).toMatchObject({ status: 200 });
    expect(await client.json13('getInApps', { application: 'AAAAA-00001', hwid: 'x' }, headers)).toMatchObject({
      status: 200,
    });
  });
});
