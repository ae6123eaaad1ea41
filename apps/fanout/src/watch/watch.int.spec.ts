import { expect, it } from '@jest/globals';
import { fanoutId, planId } from '@tidings/delivery';
import { topicNames } from '@tidings/events';
import { Fault, ShiftedClock } from '@tidings/kernel';
import { FANOUTS, type FanoutState } from '@tidings/registry-store';
import { APP, selection } from '@tidings/registry-store/testing';
import type { Broker } from '@tidings/streaming';
import { describeWithMongo } from '@tidings/testing';
import type { Releases } from '../release/releases.ts';
import { OutgoingMessages } from '../release/outgoing.ts';
import type { Released } from '../release/outgoing-message.ts';
import type { Settling } from '../settle/settling.ts';
import type { SliceStatusStore } from '../emit/slice-statuses.ts';
import { eventsOf, newMessage } from '../testing/fanout-messages.ts';
import { FanoutChunks } from '../release/fanout-chunks.ts';
import { Watch } from './watch.ts';

const LATE_S = 60;

describeWithMongo('the watchdog', (mongo) => {
  it('checks the other messages when the release of one fails, and that one again later', async () => {
    const db = mongo.database('registry');
    const clock = new ShiftedClock();
    const outgoing = new OutgoingMessages(db, clock);
    await db.collection('outgoing').createIndex({ checkAt: 1 }, { name: 'checkAt' });
    const messages = [0, 1, 2].map(() => newMessage({ audience: selection() }));
    await outgoing.store(messages.flatMap((message) => eventsOf(message, new Date(clock.now()))));
    const released: string[] = [];
    const release = async ({ message }: Released): Promise<void> => {
      released.push(message);
      if (message === messages[0]!.code) throw Fault.bug('a plan is in quarantine');
    };
    const watch = new Watch({
      clock,
      outgoing,
      fanoutChunks: new FanoutChunks(db),
      broker: { lag: () => Promise.resolve([]) } as unknown as Broker,
      statuses: { find: () => Promise.resolve(new Map()) } as unknown as SliceStatusStore,
      settling: {
        summaries: () => Promise.resolve(new Map()),
        closeSettled: () => Promise.resolve([]),
      } as unknown as Settling,
      releases: { release } as unknown as Releases,
    });
    clock.advance(LATE_S * 1000);
    await expect(watch.run()).rejects.toMatchObject({ internal: 'a plan is in quarantine' });
    expect(released.toSorted()).toEqual(messages.map(({ code }) => code).toSorted());
    expect(await outgoing.due(new Date(clock.now()), 10)).toEqual([]);
    clock.advance(LATE_S * 1000);
    expect(await outgoing.due(new Date(clock.now()), 10)).toHaveLength(3);
  });

  it('checks slices that are due again soon after their task, which it publishes once more only after it was handled', async () => {
    const db = mongo.database('registry');
    const clock = new ShiftedClock();
    const outgoing = new OutgoingMessages(db, clock);
    await db.collection('outgoing').createIndex({ checkAt: 1 }, { name: 'checkAt' });
    const message = newMessage({ audience: selection() });
    const key = { message: message.code, bucket: 0, application: APP, chunk: 0 };
    await outgoing.store(eventsOf(message, new Date(clock.now())));
    const split: FanoutState & { readonly _id: string } = {
      _id: fanoutId(key),
      chunks: [key.chunk],
      at: new Date(clock.now()),
    };
    await db.collection<typeof split>(FANOUTS).insertOne(split);
    let committed = 0;
    let tasks = 0;
    const planned = { _id: planId(key), slices: [{ platform: 1, variant: 'alert', count: 2 }], at: split.at };
    const watch = new Watch({
      clock,
      outgoing,
      fanoutChunks: new FanoutChunks(db),
      releases: undefined as never,
      broker: {
        lag: () => Promise.resolve([{ topic: topicNames.fanout, partition: 0, committed, end: tasks }]),
        ends: () => Promise.resolve([]),
        publish: (_: string, records: readonly unknown[]) =>
          Promise.resolve(records.map(() => ({ partition: 0, offset: tasks++ }))),
      } as unknown as Broker,
      // No emission was recorded: both slices are due.
      statuses: { find: () => Promise.resolve(new Map()) } as unknown as SliceStatusStore,
      settling: {
        summaries: () => Promise.resolve(new Map([[planned._id, planned]])),
        closeSettled: () => Promise.resolve(),
      } as unknown as Settling,
    });
    const published = async (seconds: number): Promise<number> => {
      clock.advance(seconds * 1000);
      const before = tasks;
      await watch.run();
      return tasks - before;
    };
    expect(await published(6)).toBe(1);
    expect(await published(6)).toBe(0);
    committed = 1;
    expect(await published(6)).toBe(1);
    expect(await published(1)).toBe(0);
  });
});
