import { expect, it } from '@jest/globals';
import type { LogWriter } from '@tidings/event-store';
import { MessageAccepted, MessageEvent, type PlanEvent } from '@tidings/events';
import { Bitmap } from '@tidings/kernel';
import { collectionOf } from '@tidings/mongo';
import { describeWithMongo, TestClock } from '@tidings/testing';
import { Completion } from './completion.ts';
import type { MessageCommand, MessageReply } from './message-log.ts';
import { messagesModel, progressModel } from './storage/messages.schema.ts';

describeWithMongo('the completion of messages', (mongo) => {
  const clock = new TestClock();
  const world = async (apps: readonly string[], seqs?: readonly number[]) => {
    const db = mongo.database('scheduler');
    const messages = collectionOf(db, messagesModel);
    const code = `M${await messages.countDocuments()}`;
    const target = seqs && { $case: 'named' as const, value: { seqs: [...seqs] } };
    const content = MessageAccepted.fromPartial({ audience: { target }, applications: [...apps] });
    const accepted = Buffer.from(MessageAccepted.encode(content).finish());
    await messages.insertOne({ _id: code, apps, status: 'PROCESSING', accepted } as never);
    const completed: string[] = [];
    const writer = {
      submit: (_: string, { kind }: MessageCommand) => Promise.resolve(void completed.push(kind)),
    } as unknown as LogWriter<MessageCommand, MessageReply>;
    const completion = new Completion({ db, clock, writer });
    const fact = (application: string, event: PlanEvent['event']): PlanEvent => ({
      stamp: undefined,
      message: code,
      messageId: 1n,
      account: 'a',
      application,
      bucket: 0,
      at: clock.date,
      event,
    });
    return {
      completed,
      count: (events: readonly PlanEvent[], by = completion) => by.count(events),
      another: () => new Completion({ db, clock, writer }),
      accepted: () =>
        completion.accepted([MessageEvent.fromPartial({ code, event: { $case: 'accepted', value: content } })]),
      remove: () => messages.deleteOne({ _id: code }),
      removeContent: () => messages.updateOne({ _id: code }, { $unset: { accepted: '' } }),
      removeOrphans: () => completion.removeOrphans(),
      progress: () => collectionOf(db, progressModel).countDocuments({ _id: code }),
      store: (fanouts: object) => collectionOf(db, progressModel).insertOne({ _id: code, rev: 1, fanouts } as never),
      split: (application: string, ...chunks: number[]) => fact(application, { $case: 'fanout', value: { chunks } }),
      settled: (application: string, chunk: number) => fact(application, { $case: 'settled', value: { chunk } }),
    };
  };

  it('follows the last fact, in any order and at once or one by one, and leaves no progress', async () => {
    const { completed, count, progress, split, settled } = await world(['A', 'B']);
    await count([settled('A', 1), split('A', 0, 1)]);
    await count([split('B', 7)]);
    await count([settled('B', 7), settled('B', 7)]);
    expect([completed, await progress()]).toEqual([[], 1]);
    await count([settled('A', 0)]);
    expect([completed, await progress()]).toEqual([['complete'], 0]);
    const small = await world(['A']);
    await small.count([small.split('A', 0), small.settled('A', 0)]);
    expect([small.completed, await small.progress()]).toEqual([['complete'], 0]);
  });

  describe('the completion of messages with named recipients', () => {
    const CHUNK = 65_536;

    it('stores nothing if they are in one chunk, whichever process handles the facts', async () => {
      const { completed, count, another, progress, split, settled } = await world(['A'], [CHUNK + 1]);
      await count([split('A', 1)]);
      expect([completed, await progress()]).toEqual([[], 0]);
      await count([settled('A', 1)], another());
      expect([completed, await progress()]).toEqual([['complete'], 0]);
    });

    it('waits for each chunk in each application, without their splits', async () => {
      const { completed, count, another, progress, settled } = await world(['A', 'B'], [1, CHUNK]);
      await count([settled('A', 0), settled('B', 1)]);
      await count([settled('A', 1)], another());
      expect([completed, await progress()]).toEqual([[], 1]);
      await count([settled('B', 0)]);
      expect([completed, await progress()]).toEqual([['complete'], 0]);
    });

    it('reads nothing of a message that this process has accepted', async () => {
      const { accepted, completed, count, remove, split, settled } = await world(['A', 'B'], [1]);
      accepted();
      await remove();
      await count([split('A', 0), split('B', 0)]);
      await count([settled('A', 0), settled('B', 0)]);
      expect(completed).toEqual(['complete']);
    });

    it('reads the content of a message once', async () => {
      const { completed, count, removeContent, settled } = await world(['A'], [1, CHUNK, 2 * CHUNK]);
      await count([settled('A', 0)]);
      await removeContent();
      await count([settled('A', 1)]);
      expect(completed).toEqual([]);
      await count([settled('A', 2)]);
      expect(completed).toEqual(['complete']);
    });

    it('follows the stored progress of a version that waits for the split', async () => {
      const { completed, removeOrphans, progress, store } = await world(['A'], [1]);
      await store({ 'A/0': { settled: Buffer.from(Bitmap.of([0]).encode()) } });
      await removeOrphans();
      expect([completed, await progress()]).toEqual([['complete'], 0]);
    });
  });

  it('takes into account the counts of another process', async () => {
    const { completed, count, another, split, settled } = await world(['A']);
    const other = another();
    await count([split('A', 0, 1)]);
    await count([settled('A', 0)], other);
    await count([settled('A', 1)]);
    expect(completed).toEqual(['complete']);
  });
});
