import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Refusal } from '@tidings/client';
import { retryUntilAnswered, platform, type PlatformWorld } from '@tidings/testing';

/** FULL=1 runs the whole of T18. */
const [CLIENTS, INCREMENTS] = process.env['FULL'] === '1' ? [1000, 1000] : [40, 40];

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
  const { status_code: code } = reply.body as { status_code?: number };
  if (reply.status !== 200 || code !== 200) throw new Refusal('setTags', reply);
};

/** Half of the increments are sent twice at once, as by an impatient client. */
async function client(i: number): Promise<void> {
  for (let n = 0; n < INCREMENTS; n++) {
    const hwid = n % 2 === 0 ? 'shared' : `own-${i}`;
    const isRepeated = n % 4 > 1;
    await Promise.all(
      Array.from({ length: isRepeated ? 2 : 1 }, () => retryUntilAnswered(() => increment(hwid, `${i}/${n}`))),
    );
  }
}

it(
  `${CLIENTS} clients count to exactly ${INCREMENTS} each, with half of the requests repeated (T18)`,
  async () => {
    await Promise.all(Array.from({ length: CLIENTS }, (_, i) => client(i)));
    const count = async (hwid: string) => (await world.call('getTags', { application, hwid })).result['Count'];
    expect(await count('shared')).toBe((CLIENTS * INCREMENTS) / 2);
    const own = await Promise.all(Array.from({ length: CLIENTS }, (_, i) => count(`own-${i}`)));
    expect(own).toEqual(own.map(() => INCREMENTS / 2));
  },
  CLIENTS * INCREMENTS * 20 + 60_000,
);
