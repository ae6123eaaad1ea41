import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { platform, type PlatformWorld } from '@tidings/testing';

/** Clients, and increments of each; the whole of T18 with FULL=1. */
const [CLIENTS, INCREMENTS] = process.env['FULL'] === '1' ? [1000, 1000] : [40, 25];

let world: PlatformWorld;
let application: string;
beforeAll(async () => {
  world = await platform();
  application = await world.application();
  await world.call('addTag', { tag: { name: 'Count', type: 1, application_specific: true } });
  for (const hwid of ['shared', ...Array.from({ length: CLIENTS }, (_, i) => `own-${i}`)]) {
    await world.call('registerDevice', { application, hwid, device_type: 3 });
  }
});
afterAll(() => world?.stop());

const increment = async (hwid: string, key: string): Promise<void> => {
  const reply = await world.client.http.send('/json/1.3/setTags', {
    method: 'POST',
    headers: { authorization: `Token ${world.secrets.device}`, 'idempotency-key': key },
    body: { request: { application, hwid, tags: { Count: { operation: 'increment', value: 1 } } } },
  });
  expect(reply).toMatchObject({ status: 200, body: { status_code: 200 } });
};

/** Every second one is sent twice at once, as by a client that did not wait for its answer. */
async function client(i: number): Promise<void> {
  for (let n = 0; n < INCREMENTS; n++) {
    for (const hwid of ['shared', `own-${i}`]) {
      const key = `${i}/${n}`;
      await Promise.all(Array.from({ length: 1 + (n % 2) }, () => increment(hwid, key)));
    }
  }
}

it(
  `${CLIENTS} clients count to ${INCREMENTS} each, half of it repeated: exactly (T18)`,
  async () => {
    await Promise.all(Array.from({ length: CLIENTS }, (_, i) => client(i)));
    const count = async (hwid: string) => (await world.call('getTags', { application, hwid })).result['Count'];
    expect(await count('shared')).toBe(CLIENTS * INCREMENTS);
    const own = await Promise.all(Array.from({ length: CLIENTS }, (_, i) => count(`own-${i}`)));
    expect(own).toEqual(own.map(() => INCREMENTS));
  },
  CLIENTS * INCREMENTS * 20 + 60_000,
);
