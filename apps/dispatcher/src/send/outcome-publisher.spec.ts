import { describe, expect, it } from '@jest/globals';
import { apnsRefusal } from '@tidings/channels';
import { resultsIn } from '@tidings/delivery';
import { content, sendBatch } from '../testing/test-batches.ts';
import { VirtualLane, type VirtualProvider } from '../testing/virtual-lane.ts';

const SECOND = 1000;

async function lane(provider: VirtualProvider, tokens = ['token'], publishesMs = 5 * SECOND): Promise<VirtualLane> {
  const lane = new VirtualLane({ A: provider });
  const devices = tokens.map((token, position) => ({ position, token }));
  const batch = sendBatch([{ number: 0, devices }], {
    application: 'A',
    releasedAt: new Date(lane.time.now()),
    content: content(),
    credential: { application: 'A', platform: 1, version: 1 },
  });
  const handled = lane.dispatch.handle([batch]);
  await lane.pass(publishesMs);
  expect(await handled).toBe(1);
  lane.brokerIsDown = true;
  return lane;
}

const busy = apnsRefusal(503, '{"reason":"ServiceUnavailable"}').result;
const partsOf = ({ outcomes }: VirtualLane): number =>
  outcomes.filter(({ outcome }) => outcome.outcome?.$case === 'deferred' && resultsIn(outcome)).length;

const settledIn = ({ attempts }: VirtualLane): boolean =>
  [...attempts.byId.values()].every(({ attempt }) => attempt.state === 'settled');

const providers: [string, VirtualProvider][] = [
  ['a late answer', { answer: () => ({ afterMs: 8 * SECOND }) }],
  ['a deferred slice', { answer: () => ({ afterMs: 10 }), isDown: (now) => now < 8 * SECOND }],
];

describe('an outcome that the broker refuses', () => {
  it.each(providers)('is published for %s as soon as the broker is back, once', async (_, provider) => {
    const sending = await lane(provider);
    await sending.pass(60 * SECOND);
    expect([settledIn(sending), sending.settledOf('A')]).toEqual([true, 0]);
    sending.brokerIsDown = false;
    await sending.pass(2 * SECOND);
    expect([sending.settledOf('A'), sending.written.length]).toEqual([1, 1]);
    await sending.pass(60 * SECOND);
    expect([sending.settledOf('A'), sending.written.length]).toEqual([1, 1]);
  });

  it.each(providers)('is published for %s by another worker, once, if its own one has died', async (_, provider) => {
    const sending = await lane(provider);
    await sending.pass(60 * SECOND);
    expect([settledIn(sending), sending.settledOf('A')]).toEqual([true, 0]);
    void sending.dispatch.stop();
    await sending.pass(2 * SECOND);
    sending.leases.until.clear();
    const other = new VirtualLane({ A: provider }, sending.attempts);
    await other.pass(7 * SECOND);
    expect([other.settledOf('A'), other.written.length]).toEqual([1, 0]);
    await other.pass(60 * SECOND);
    expect([other.settledOf('A'), other.written.length]).toEqual([1, 0]);
    expect([...other.attempts.byId.values()]).toMatchObject([{ attempt: { state: 'settled', deferral: undefined } }]);
  });

  it('is published for a deferred slice with results as soon as the broker is back', async () => {
    // The second device is always refused, the first one only at its first try.
    const answer: VirtualProvider['answer'] = (token, now) =>
      token === 'second' || now < 500 ? { afterMs: 10, result: busy } : { afterMs: 10 };
    const sending = await lane({ answer }, ['first', 'second'], 500);
    await sending.pass(60 * SECOND);
    expect(partsOf(sending)).toBe(0);
    sending.brokerIsDown = false;
    await sending.pass(2 * SECOND);
    expect(partsOf(sending)).toBeGreaterThan(0);
  });

  it('does not prevent a dispatcher from stopping', async () => {
    const sending = await lane({ answer: () => ({ afterMs: 10 }), isDown: (now) => now < 8 * SECOND });
    await sending.pass(10 * SECOND);
    let hasStopped = false;
    void sending.dispatch.stop().then(() => (hasStopped = true));
    await sending.pass(2 * SECOND);
    expect(hasStopped).toBe(true);
  });
});
