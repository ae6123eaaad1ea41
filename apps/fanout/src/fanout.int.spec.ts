import { setTimeout as delay } from 'node:timers/promises';
import { expect, it, jest } from '@jest/globals';
import { defaultTags } from '@tidings/audience';
import { definitions } from '@tidings/channels';
import { SUPPRESSED } from '@tidings/delivery';
import { Content, PlanEvent, type SendBatch, topicNames } from '@tidings/events';
import { Bitmap, Platform, seqOf } from '@tidings/kernel';
import { inboxRemovalOf } from '@tidings/messaging';
import {
  ACCOUNTS,
  ADDRESSES,
  addressId,
  type DeviceDocument,
  DEVICES,
  plannedOf,
  type SliceCount,
} from '@tidings/registry-store';
import { APP, device, even, selection, named } from '@tidings/registry-store/testing';
import type { OutRecord } from '@tidings/streaming';
import { describeWithMongo, until } from '@tidings/testing';
import type { Binary, Db } from 'mongodb';
import { fanoutWorlds, settle } from './testing/fanout-world.ts';
import { tasksForOutcomes } from './watch/missing-outcomes.ts';
import { type NewMessage, newMessage, release, platform } from './testing/fanout-messages.ts';

const withoutToken = ({ token: _, ...device }: DeviceDocument): DeviceDocument => device;

const slicesOf = (counts: Readonly<Record<number, number>>): SliceCount[] =>
  Object.entries(counts).map(([platform, count]) => ({ platform: Number(platform), variant: 'alert', count }));

const devicesIn = (sets: readonly { readonly set: Buffer }[]): number =>
  sets.reduce((sum, { set }) => sum + Bitmap.decode(set).size, 0);

const commitsOf = async (db: Db, category: string): Promise<PlanEvent[]> => {
  const commits = await db.collection<{ events: Binary[] }>(`${category}.commits`).find().toArray();
  return commits.flatMap(({ events }) => events.map((bytes) => PlanEvent.decode(bytes.buffer)));
};

describeWithMongo('fan-out', (mongo) => {
  const world = fanoutWorlds(mongo);
  const some = Array.from({ length: 1200 }, (_, i) => device(i));
  const twoChunks = [...some, ...Array.from({ length: 700 }, (_, i) => device(seqOf(1, i)))];

  it('plans a selection once per chunk and emits slices of 500 ranks', async () => {
    const { broker, clock, dispatchers, start, plansOf } = await world(twoChunks);
    const fanout = await start();
    const message = newMessage({ audience: selection(even) });
    await release(broker, message, clock.date);
    await settle(fanout, clock, dispatchers);

    const plans = await plansOf(message);
    expect(plans.map(({ _id, slices, settledAt }) => ({ _id, slices, settled: settledAt !== undefined }))).toEqual([
      { _id: `${message.code}/0/${APP}/0`, slices: slicesOf({ 1: 1, 3: 1 }), settled: true },
      { _id: `${message.code}/0/${APP}/1`, slices: slicesOf({ 1: 1, 3: 1 }), settled: true },
    ]);
    const recipients = plannedOf(plans[0]!).sendable.find(({ platform }) => platform === 1)!.set;
    const expected = some.filter(({ seq, platform }) => seq % 2 === 0 && platform === 1).map(({ seq }) => seq);
    expect([...Bitmap.decode(recipients).positions()]).toEqual(expected);
    expect(dispatchers.emissions.get(`${message.code}/0/1/0`)).toEqual([expected]);
    const batch = dispatchers.batches.find(({ platform, chunk }) => platform === 1 && chunk === 0)!;
    expect(batch.tokens.toString()).toBe(expected.map((seq) => `token-${seq}`).join(''));
    expect(batch).toMatchObject({ credential: { application: APP, platform: 1, version: 1 }, releasedAt: clock.date });
  });

  it('requests the outcomes of settled slices from dispatchers again', async () => {
    const { broker, clock, db, dispatchers, start } = await world(some);
    const fanout = await start();
    const message = newMessage({ audience: selection() });
    await release(broker, message, clock.date);
    await settle(fanout, clock, dispatchers);
    const sent = dispatchers.batches.splice(0);
    const numbersIn = (batches: readonly SendBatch[]) =>
      batches.map(({ platform, slices }) => [platform, ...slices.map(({ number }) => number)]).toSorted();

    const tasksSince = async (since: number): Promise<OutRecord[]> => {
      const tasks: OutRecord[] = [];
      for await (const task of tasksForOutcomes(db, new Date(since))) tasks.push(task);
      return tasks;
    };
    expect(await tasksSince(clock.now() + 1)).toEqual([]);
    await broker.publish(topicNames.fanout, await tasksSince(clock.now() - 60_000));
    await settle(fanout, clock, dispatchers);
    const again = dispatchers.batches;
    expect([sent, again].map((batches) => new Set(batches.map(({ outcomesAgain }) => outcomesAgain)))).toEqual([
      new Set([false]),
      new Set([true]),
    ]);
    expect(numbersIn(again)).toEqual(numbersIn(sent));
  });

  it('takes a deleted tag for one that no device has, while devices still have its values (R-D2)', async () => {
    const { broker, clock, db, dispatchers, start, plansOf } = await world(some.slice(0, 6));
    await db
      .collection<{ _id: string; kind: string; clearing: number[] }>(ACCOUNTS)
      .insertOne({ _id: 'a', kind: 'account', clearing: [70] });
    const fanout = await start();
    const [had, hadNot] = [even, { node: { $case: 'not' as const, value: even } }].map((expression) =>
      newMessage({ audience: selection(expression) }),
    );
    for (const message of [had!, hadNot!]) await release(broker, message, clock.date);
    await settle(fanout, clock, dispatchers);
    const sizeOf = async (message: NewMessage): Promise<number> =>
      (await plansOf(message)).map(plannedOf).reduce((sum, { eligible }) => sum + devicesIn(eligible), 0);
    expect([await sizeOf(had!), await sizeOf(hadNot!)]).toEqual([0, 6]);
  });

  it('does not plan an expired message again', async () => {
    const { broker, clock, dispatchers, start, plansOf } = await world(some.slice(0, 6));
    const fanout = await start();
    const message = newMessage({ audience: selection() });
    await release(broker, message, new Date(clock.now() - 366 * 86_400_000));
    await settle(fanout, clock, dispatchers);
    expect(await plansOf(message)).toEqual([]);
  });

  it.each([false, true])('marks each batch as sent at most once or not: %s', async (atMostOnce) => {
    const { broker, clock, dispatchers, start } = await world(some.slice(0, 6), { application: { atMostOnce } });
    const fanout = await start();
    await release(broker, newMessage({ audience: selection() }), clock.date);
    await settle(fanout, clock, dispatchers);
    expect(new Set(dispatchers.batches.map((batch) => batch.atMostOnce))).toEqual(new Set([atMostOnce]));
  });

  it('sends at most once if the channel masks no repeats', async () => {
    const masked = jest.replaceProperty(definitions.fcm, 'masksRepeats', false);
    try {
      const { broker, clock, dispatchers, start } = await world(some.slice(0, 6));
      const fanout = await start();
      await release(broker, newMessage({ audience: selection() }), clock.date);
      await settle(fanout, clock, dispatchers);
      const sent = dispatchers.batches.map(({ platform, atMostOnce }) => [platform, atMostOnce]);
      expect(new Map(sent as [number, boolean][])).toEqual(
        new Map([
          [1, false],
          [3, true],
        ]),
      );
    } finally {
      masked.restore();
    }
  });

  it('counts every existing named device, and sends to the recipients among them', async () => {
    const devices = [
      device(0, { platform: 1 }),
      device(1, { platform: 1, token: undefined }),
      device(2, { platform: 3 }),
      device(3, { platform: 9 }),
      device(4, { platform: 7 }),
      device(5, { status: 0 }),
      device(seqOf(1, 7), { platform: 1 }),
    ].map((each) => (each.token === undefined ? withoutToken(each) : each));
    const { broker, clock, dispatchers, start, plansOf } = await world(devices, {
      application: {
        platforms: [platform(1), { ...platform(3), enabled: false }, { ...platform(9), credentialVersion: 0 }],
      },
    });
    const fanout = await start();
    const message = newMessage({ audience: named(0, 1, 2, 3, 4, 5, 6, seqOf(1, 7)) });
    await release(broker, message, clock.date);
    await settle(fanout, clock, dispatchers);

    const [first, second] = (await plansOf(message)).map(plannedOf);
    const sets = (of: readonly { readonly set: Buffer }[]) => of.map(({ set }) => [...Bitmap.decode(set).positions()]);
    expect(first!.eligible.map(({ platform }) => platform)).toEqual([1, 3, 7, 9]);
    expect(sets(first!.eligible)).toEqual([[0, 1], [2], [4], [3]]);
    expect(first!.failed.map(({ category, name, platform }) => ({ category, name, platform }))).toEqual([
      { category: 'NO_TOKEN', name: 'no_token', platform: 1 },
      { category: 'PLATFORM_DISABLED', name: 'platform_disabled', platform: 3 },
      { category: 'PLATFORM_DISABLED', name: 'platform_disabled', platform: 7 },
      { category: 'INVALID_CONFIGURATION', name: 'not_configured', platform: 9 },
    ]);
    expect(first!.named).toBe(true);
    expect(sets(second!.sendable)).toEqual([[7]]);
    expect([...dispatchers.emissions.keys()].sort()).toEqual([`${message.code}/0/1/0`, `${message.code}/1/1/0`]);
    const lag = await broker.lag('dispatcher.apns.direct');
    expect(lag.filter(({ end }) => end > 0)).not.toEqual([]);
  });

  it('plans the inbox with devices without a token, and stores where the entries are found (R-H12, R-I21)', async () => {
    const devices = [device(0, { platform: 1 }), withoutToken(device(1, { platform: 1 })), device(2, { platform: 1 })];
    const { broker, clock, dispatchers, start, plansOf } = await world(devices);
    const fanout = await start();
    const content = Content.fromPartial({ text: { entries: [{ language: 'en', text: 'T' }] }, inbox: { days: 2 } });
    const everyone = newMessage({ audience: selection(), content });
    const some = newMessage({ audience: named(1, 2), content });
    for (const message of [everyone, some]) await release(broker, message, clock.date);
    await settle(fanout, clock, dispatchers);

    const until = inboxRemovalOf(content.inbox!, clock.date);
    const [broadcast] = await plansOf(everyone);
    expect(broadcast!.inbox).toEqual({ app: APP, chunk: 0, until });
    const { eligible, inbox } = plannedOf(broadcast!);
    expect(eligible.map(({ set }) => [...Bitmap.decode(set).positions()])).toEqual([[0, 2]]);
    expect(inbox!.eligible.map(({ set }) => [...Bitmap.decode(set).positions()])).toEqual([[1]]);
    expect((await plansOf(some))[0]!.inbox).toEqual({ app: APP, seqs: [1, 2], until });
  });

  it('settles a plan without slices at once, and a message without recipients', async () => {
    const { db, broker, clock, dispatchers, start } = await world([device(0, { platform: 9 })]);
    const fanout = await start();
    await release(broker, newMessage({ audience: selection() }), clock.date);
    await release(broker, newMessage({ audience: named(77) }), clock.date);
    await release(broker, newMessage({ audience: named() }), clock.date);
    await settle(fanout, clock, dispatchers);
    const cases = (await commitsOf(db, 'plans')).map(({ event }) => event?.$case);
    // The split into one chunk is committed with its plan.
    expect(cases.sort()).toEqual(['chunk', 'chunk', 'fanout', 'fanout', 'settled', 'settled']);
    expect(await commitsOf(db, 'fanouts')).toHaveLength(1);
    expect(await db.collection('fanouts').countDocuments()).toBe(1);
    expect(dispatchers.batches).toEqual([]);
  });

  it('emits a lost slice again, with the same devices in their present state, deleted ones marked', async () => {
    let lose = true;
    const { db, broker, clock, dispatchers, start, measured } = await world(
      Array.from({ length: 4 }, (_, i) => device(i, { platform: 1 })),
      { chance: () => (lose ? 0 : 1) },
    );
    const fanout = await start();
    const message = newMessage({ audience: selection() });
    await release(broker, message, clock.date);
    await until(() => dispatchers.batches.length > 0);
    lose = false;
    const devices = db.collection<DeviceDocument>(DEVICES);
    await devices.updateOne({ seq: 0 }, { $set: { status: 0 }, $unset: { token: true } });
    await devices.updateOne({ seq: 1 }, { $set: { token: 'new' } });
    await devices.updateOne({ seq: 2 }, { $set: { platform: 3 } });
    await delay(100);
    clock.advance(15);
    await delay(100);
    expect(dispatchers.batches).toHaveLength(1);
    await until(async () => (await measured('tidings_fanout_open_slices'))['inFlight'] === 1);
    await settle(fanout, clock, dispatchers, 5);
    clock.advance(60);
    expect(await measured('tidings_fanout_open_slices')).toEqual({ due: 0, inFlight: 0, deferred: 0 });
    expect(await measured('tidings_fanout_slices_total')).toEqual({ 'apns first': 1, 'apns again': 1 });
    expect(dispatchers.emissions.get(`${message.code}/0/1/0`)).toEqual([
      [0, 1, 2, 3],
      [0, 1, 2, 3],
    ]);
    const again = dispatchers.batches[1]!;
    expect(again.gone[0]).toBe(0b0101);
    expect(again.tokens.toString()).toBe('newtoken-3');
    expect([...new Uint32Array(new Uint8Array(again.tokenEnds).buffer)]).toEqual([0, 3, 3, 10]);
  });

  it('marks contacts that have unsubscribed since the plan (R-E14, R-E18)', async () => {
    let lose = true;
    const { db, broker, clock, dispatchers, start } = await world(
      Array.from({ length: 5 }, (_, i) => device(i, { platform: Platform.Email, th: `address-${i}` })),
      { application: { platforms: [platform(Platform.Email)] }, chance: () => (lose ? 0 : 1) },
    );
    const addresses = db.collection<{ _id: string; since?: Date; complained?: Date }>(ADDRESSES);
    const fanout = await start();
    const content = Content.fromPartial({ email: { category: 'News' } });
    await release(broker, newMessage({ audience: named(0, 1, 2, 3, 4), content }), clock.date);
    await until(() => dispatchers.batches.length > 0);
    lose = false;
    const devices = db.collection<DeviceDocument>(DEVICES);
    const { unsubscribedEmails, unsubscribedCategories } = defaultTags;
    await devices.updateOne({ seq: 3 }, { $set: { tags: [{ k: unsubscribedEmails.number, v: true }] } });
    await devices.updateOne({ seq: 4 }, { $set: { tags: [{ k: unsubscribedCategories.number, v: 'News' }] } });
    await addresses.insertMany([
      { _id: addressId('a', 'address-1'), since: clock.date },
      { _id: addressId('a', 'address-2'), complained: clock.date },
    ]);
    await settle(fanout, clock, dispatchers, 5);
    const { BOUNCED, COMPLAINT, UNSUBSCRIBED, FILTERED_BY_CATEGORY } = SUPPRESSED;
    expect(dispatchers.batches.map(({ oversized }) => [...oversized])).toEqual([
      [],
      [0, BOUNCED, COMPLAINT, UNSUBSCRIBED, FILTERED_BY_CATEGORY],
    ]);
  });

  it('respects deferrals, and emits again only overdue slices', async () => {
    const chances = [0.2, 0.32, 1];
    const { broker, clock, dispatchers, start, plansOf } = await world([device(0), device(1)], {
      chance: () => chances.shift() ?? 1,
    });
    const fanout = await start();
    const message = newMessage({ audience: selection() });
    await release(broker, message, clock.date);
    await settle(fanout, clock, dispatchers);
    expect((await plansOf(message))[0]!.settledAt).toBeUndefined();
    clock.advance(6);
    await dispatchers.resume();
    await settle(fanout, clock, dispatchers, 1);
    expect(dispatchers.batches.length).toBe(3);
    expect((await plansOf(message))[0]!.settledAt).toBeDefined();
  });

  it('measures the time from the release of a message to one device to its batch', async () => {
    const { broker, clock, dispatchers, start } = await world(some);
    const fanout = await start();
    const times: number[] = [];
    for (let i = 0; i < 60; i++) {
      const before = dispatchers.batches.length;
      const startedAt = performance.now();
      await release(broker, newMessage({ audience: named(i) }), clock.date);
      while (dispatchers.batches.length === before) await new Promise((resolve) => setImmediate(resolve));
      times.push(performance.now() - startedAt);
      await settle(fanout, clock, dispatchers);
    }
    times.sort((a, b) => a - b);
    process.stderr.write(
      `release to batch, ms: median ${times[30]!.toFixed(1)}, p90 ${times[54]!.toFixed(1)}, most ${times[59]!.toFixed(1)}\n`,
    );
    expect(dispatchers.batches).toHaveLength(60);
  });
});
