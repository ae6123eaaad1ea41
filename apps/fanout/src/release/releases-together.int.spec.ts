import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from '@jest/globals';
import { Bitmap } from '@tidings/kernel';
import { type DeviceDocument, DEVICES, plannedOf } from '@tidings/registry-store';
import { device, named } from '@tidings/registry-store/testing';
import { describeWithMongo } from '@tidings/testing';
import { Decimal128 } from 'mongodb';
import { newMessage, type NewMessage, release } from '../testing/fanout-messages.ts';
import { addApplication, fanoutWorlds, settle } from '../testing/fanout-world.ts';

const CAPPED = 'CCCCC-CAPPE';
const GONE = 'GGGGG-GGONE';
const ONES = 24;
const DELETED = ONES;
const UNKNOWN = 40_000;

const inApplication = (app: string, seq: number): DeviceDocument => ({
  ...device(seq),
  app,
  _id: `${app}:${String(seq).padStart(22, 'A')}`,
});

const positions = (sets: readonly { readonly set: Buffer }[]): number[] =>
  sets.flatMap(({ set }) => [...Bitmap.decode(set).positions()]).sort((a, b) => a - b);

describeWithMongo('messages to named devices that wait together', (mongo) => {
  const world = fanoutWorlds(mongo);

  it('are released with one outcome each, across applications, gone devices and caps', async () => {
    const ones = Array.from({ length: ONES }, (_, seq) => device(seq));
    const devices = [...ones, device(DELETED, { status: 0 }), inApplication(CAPPED, 0), inApplication(GONE, 0)];
    const { db, broker, clock, dispatchers, start, plansOf } = await world(devices);
    await addApplication(db, CAPPED, { capping: { days: 1, count: 1 } });
    const each = ones.map(({ seq }) => newMessage({ audience: named(seq) }));
    const unknown = newMessage({ audience: named(UNKNOWN) });
    const deleted = newMessage({ audience: named(3, DELETED) });
    const gone = newMessage({ audience: named(0), applications: [GONE] });
    const capped = [0, 1, 2].map(() => newMessage({ audience: named(0), applications: [CAPPED] }));
    const all = [...each, unknown, deleted, gone, ...capped];
    // They wait before the fan-out starts.
    for (const message of all) await release(broker, message, clock.date);
    await settle(await start(), clock, dispatchers);

    const planOf = async (message: NewMessage) => plannedOf((await plansOf(message))[0]!);
    for (const [seq, message] of each.entries()) expect(positions((await planOf(message)).sendable)).toEqual([seq]);
    expect(await planOf(unknown)).toMatchObject({ eligible: [], excluded: [], sendable: [] });
    expect(positions((await planOf(deleted)).sendable)).toEqual([3]);
    const { eligible, failed, sendable } = await planOf(gone);
    expect([positions(eligible), positions(failed), sendable]).toEqual([[0], [0], []]);
    const caps = await Promise.all(capped.map(planOf));
    expect(caps.map((plan) => positions(plan.sendable).length).sort()).toEqual([0, 0, 1]);
    expect(caps.map((plan) => positions(plan.excluded).length).sort()).toEqual([0, 1, 1]);
    expect(dispatchers.emissions.size).toBe(ONES + 2);
    expect([...dispatchers.emissions.values()].every((times) => times.length === 1 && times[0]!.length === 1)).toBe(
      true,
    );
    for (const message of all) expect((await plansOf(message)).every(({ settledAt }) => settledAt)).toBe(true);
  });

  it('are not delayed by one that cannot be planned, which is released once it can', async () => {
    const { db, broker, clock, dispatchers, start, plansOf } = await world(
      Array.from({ length: ONES }, (_, seq) => device(seq)),
    );
    const stored = db.collection<DeviceDocument>(DEVICES);
    const none = Decimal128.fromString('1') as unknown as string;
    await stored.updateOne({ seq: 5 }, { $set: { lang: none } });
    const messages = Array.from({ length: ONES }, (_, seq) => newMessage({ audience: named(seq) }));
    const poison = messages[5]!;
    for (const message of messages) await release(broker, message, clock.date);
    const fanout = await start();
    const isSettled = async (message: NewMessage): Promise<boolean> => {
      const plans = await plansOf(message);
      return plans.length > 0 && plans.every(({ settledAt }) => settledAt);
    };
    for (const message of messages) {
      if (message !== poison) while (!(await isSettled(message))) await delay(15);
    }
    expect(await plansOf(poison)).toEqual([]);
    await stored.updateOne({ seq: 5 }, { $set: { lang: 'en' } });
    await settle(fanout, clock, dispatchers, 5);
    expect(await isSettled(poison)).toBe(true);
    expect(dispatchers.emissions.size).toBe(ONES);
  });
});
