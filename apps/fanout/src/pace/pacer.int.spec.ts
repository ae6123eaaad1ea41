import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from '@jest/globals';
import { OUTGOING } from '@tidings/registry-store';
import { around, device, even, named, selection } from '@tidings/registry-store/testing';
import { describeWithMongo, type TestClock, until } from '@tidings/testing';
import type { FakeDispatchers } from '../testing/fake-dispatchers.ts';
import { fanoutWorlds, settle } from '../testing/fanout-world.ts';
import { newMessage, release, releaseSteps, stop } from '../testing/fanout-messages.ts';

describeWithMongo('messages with a send rate', (mongo) => {
  const world = fanoutWorlds(mongo);
  const devices = Array.from({ length: 400 }, (_, i) => device(i));

  /** The clock goes on: a lease that is renewed at the same time looks as if its holder had ended. */
  async function emittedAtRate({ batches }: FakeDispatchers, clock: TestClock, startedAt: number): Promise<void> {
    const emitted = () => batches.flatMap(({ slices }) => slices).reduce((sum, { count }) => sum + count, 0);
    let before = 0;
    for (let all = 0; all < devices.length; all = emitted()) {
      // A second ahead, and the tick that the emission took.
      const seconds = (performance.now() - startedAt) / 1_000;
      expect(before).toBeLessThanOrEqual((seconds + 1) * 100 + 50);
      before = all;
      await delay(50);
      clock.advance(0.05);
    }
    expect(performance.now() - startedAt).toBeGreaterThan(2_500);
  }

  it('are emitted in slices of 50 at their rate, by one of two processes, and complete (R-I11)', async () => {
    const { broker, clock, dispatchers, start, plansOf } = await world(devices);
    const [fanout, other] = [await start(), await start()];
    const message = newMessage({ audience: selection(), sendRate: 100 });
    const startedAt = performance.now();
    await release(broker, message, clock.date);
    await emittedAtRate(dispatchers, clock, startedAt);
    await settle(fanout, clock, dispatchers);
    await settle(other, clock, dispatchers);
    const [plan] = await plansOf(message);
    expect(plan).toMatchObject({
      slices: [
        { platform: 1, count: 6 },
        { platform: 3, count: 3 },
      ],
    });
    expect(plan!.settledAt).toBeDefined();
    expect(dispatchers.batches.every(({ sendRate }) => sendRate === 100)).toBe(true);
    expect([...dispatchers.emissions.values()].every((of) => of.length === 1 && of[0]!.length <= 50)).toBe(true);
  });

  it('are emitted step by step for a local time, at one rate for all steps (R-I9, R-I11)', async () => {
    const inTwoZones = devices.map((each, i) => ({ ...each, tz: (i % 2) * 3_600 }));
    const { broker, clock, db, dispatchers, start } = await world(inTwoZones);
    const fanout = await start();
    const localTime = { wallAt: clock.date, defaultAt: clock.date, pastOffsets: 0 };
    const message = newMessage({ audience: selection(), sendRate: 100, localTime });
    const startedAt = performance.now();
    await releaseSteps(broker, message, clock.date, [around(0), around(1)]);
    await emittedAtRate(dispatchers, clock, startedAt);
    await settle(fanout, clock, dispatchers);
    const sent = dispatchers.batches.flatMap(({ slices }) => slices).reduce((sum, { count }) => sum + count, 0);
    expect(sent).toBe(devices.length);
    const paced = () => db.collection(OUTGOING).countDocuments({ paced: true, releasedAt: { $exists: true } });
    while ((await paced()) > 0) {
      clock.advance(1);
      await delay(20);
    }
  });

  it('use the broadcast lane also for named recipients, and delay no other message', async () => {
    const { broker, clock, dispatchers, start } = await world(devices);
    const fanout = await start();
    const rated = newMessage({ audience: named(...Array.from({ length: 300 }, (_, i) => i)), sendRate: 100 });
    await release(broker, rated, clock.date);
    const receipt = newMessage({ audience: named(7) });
    await release(broker, receipt, clock.date);
    await until(() => dispatchers.batches.some(({ message }) => message === receipt.code));
    expect(dispatchers.batches.filter(({ message }) => message === rated.code).length).toBeLessThan(6);
    await settle(fanout, clock, dispatchers);
    const direct = await broker.lag('dispatcher.apns.direct');
    expect(direct.reduce((sum, { end }) => sum + end, 0)).toBe(1);
  });

  it.each([
    ['as a whole', false],
    ['step by step', true],
  ])('are emitted at once after a stop, if released %s (R-S9)', async (_, isStepped) => {
    const many = Array.from({ length: 2_400 }, (_, i) => ({ ...device(i), tz: 0 }));
    // No slice settles, so that the rate would hold back the rest for good.
    const { broker, clock, dispatchers, start } = await world(many, { chance: () => 0 });
    await start();
    const localTime = { wallAt: clock.date, defaultAt: clock.date, pastOffsets: 0 };
    const message = newMessage({ audience: selection(), sendRate: 100, ...(isStepped && { localTime }) });
    if (isStepped) await releaseSteps(broker, message, clock.date, [around(0)]);
    else await release(broker, message, clock.date);
    await until(() => dispatchers.emissions.size > 0);
    expect(dispatchers.emissions.size).toBeLessThan(48);
    await stop(broker, message, clock.date);
    await until(() => dispatchers.emissions.size === 48);
  });

  it('have lost slices emitted again, by the pacer', async () => {
    let lose = true;
    const { broker, clock, dispatchers, start, measured } = await world(devices, { chance: () => (lose ? 0 : 1) });
    const fanout = await start();
    const message = newMessage({ audience: selection(even), sendRate: 1000 });
    await release(broker, message, clock.date);
    await until(() => dispatchers.emissions.size >= 5);
    lose = false;
    await settle(fanout, clock, dispatchers, 5);
    expect((await measured('tidings_fanout_slices_total'))['apns again']).toBeGreaterThan(0);
    expect([...dispatchers.emissions.values()].every((of) => of.length === 2)).toBe(true);
  });
});
