import { expect, it } from '@jest/globals';
import { messageChunkKey } from '@tidings/delivery';
import { type MessageAccepted, SliceOutcome, topicNames } from '@tidings/events';
import { Bitmap } from '@tidings/kernel';
import { COUNTED_PAGES, plannedOf } from '@tidings/registry-store';
import { APP, device, named, selection } from '@tidings/registry-store/testing';
import { describeWithMongo } from '@tidings/testing';
import type { FanoutService } from './fanout.ts';
import { removeExpired } from './watch/message-expiry.ts';
import { OutgoingMessages } from './release/outgoing.ts';
import { fanoutWorlds, settle } from './testing/fanout-world.ts';
import { type NewMessage, newMessage, release } from './testing/fanout-messages.ts';

const DAY_SECONDS = 86_400;

describeWithMongo('frequency capping', (mongo) => {
  const world = fanoutWorlds(mongo);

  const capping = async (devices: number, { processes = 1, application = {} } = {}) => {
    const opened = await world(
      Array.from({ length: devices }, (_, i) => device(i)),
      { application },
    );
    const { broker, clock, dispatchers, start, plansOf } = opened;
    const fanouts: FanoutService[] = [];
    for (let i = 0; i < processes; i++) fanouts.push(await start());
    const membersOf = (sets: readonly { readonly set: Buffer }[]): number[] =>
      sets.flatMap(({ set }) => [...Bitmap.decode(set).positions()]).sort((a, b) => a - b);
    const send = async (...messages: readonly NewMessage[]): Promise<void> => {
      await Promise.all(messages.map((message) => release(broker, message, clock.date)));
      for (const fanout of fanouts) await settle(fanout, clock, dispatchers);
    };
    const plannedFor = async (message: NewMessage) => (await plansOf(message)).map(plannedOf);
    return {
      ...opened,
      send,
      sentTo: async (message: NewMessage) => (await plannedFor(message)).flatMap(({ sendable }) => membersOf(sendable)),
      excludedFrom: async (message: NewMessage) =>
        (await plannedFor(message)).flatMap(({ excluded }) => membersOf(excluded)),
      sendOne: async (accepted: Partial<MessageAccepted>): Promise<NewMessage> => {
        const message = newMessage({ audience: selection(), ...accepted });
        await send(message);
        return message;
      },
    };
  };

  it('gives each of 10,000 devices exactly 3 of 20 simultaneous messages, planned by two processes (R-I12)', async () => {
    const { send, sentTo, excludedFrom } = await capping(10_000, { processes: 2 });
    const messages = Array.from({ length: 20 }, () =>
      newMessage({ audience: selection(), capping: { days: 7, count: 3 } }),
    );
    await send(...messages);
    const counts = new Uint8Array(10_000);
    for (const message of messages) {
      const sent = await sentTo(message);
      for (const position of sent) counts[position]!++;
      expect(sent.length + (await excludedFrom(message)).length).toBe(10_000);
    }
    expect(counts.every((count) => count === 3)).toBe(true);
  });

  it('counts simultaneous messages to named devices in both lanes', async () => {
    const { send, sentTo } = await capping(4);
    const cap = { capping: { days: 1, count: 2 } };
    const messages = Array.from({ length: 12 }, (_, i) =>
      newMessage({ audience: i % 3 === 0 ? selection() : named(0, 1), ...cap }),
    );
    await send(...messages);
    const sent = (await Promise.all(messages.map(sentTo))).flat();
    expect([0, 1].map((position) => sent.filter((each) => each === position).length)).toEqual([2, 2]);
  });

  it('counts no transactional and no excluded message, and limits neither them nor avoiding ones', async () => {
    const { sendOne, sentTo } = await capping(3);
    const once = { capping: { days: 1, count: 1 } };
    const sizes = async (accepted: Partial<MessageAccepted>) => (await sentTo(await sendOne(accepted))).length;
    expect(await sizes({ transactional: true })).toBe(3);
    expect(await sizes({ cappingExclude: true })).toBe(3);
    expect(await sizes({ ...once, cappingExclude: true })).toBe(3);
    expect(await sizes({ ...once, cappingAvoid: true })).toBe(3);
    // The avoiding message counts.
    expect(await sizes(once)).toBe(0);
    expect(await sizes({ ...once, cappingExclude: true })).toBe(0);
    expect(await sizes({ ...once, transactional: true })).toBe(3);
    expect(await sizes({ ...once, cappingAvoid: true })).toBe(3);
    expect(await sizes({ capping: { days: 1, count: 3 } })).toBe(3);
    expect(await sizes({ capping: { days: 1, count: 3 } })).toBe(0);
  });

  it("applies the application's cap unless the message has its own", async () => {
    const { clock, sendOne, sentTo } = await capping(3, { application: { capping: { days: 2, count: 1 } } });
    const sizes = async (accepted: Partial<MessageAccepted> = {}) => (await sentTo(await sendOne(accepted))).length;
    expect(await sizes({ audience: named(1) })).toBe(1);
    expect(await sizes()).toBe(2);
    expect(await sizes()).toBe(0);
    expect(await sizes({ capping: { days: 1, count: 2 } })).toBe(3);
    clock.advance(2 * DAY_SECONDS - 1);
    expect(await sizes()).toBe(0);
    clock.advance(1);
    expect(await sizes()).toBe(3);
  });

  it('does not count devices that failed, however often their outcome arrives', async () => {
    const { db, broker, dispatchers, sendOne, sentTo } = await capping(3);
    const cap = { capping: { days: 30, count: 2 } };
    const message = await sendOne(cap);
    const batch = dispatchers.batches.find(({ platform }) => platform === 1)!;
    const failed = { category: 'INVALID_TOKEN', code: '410', name: 'Unregistered', platform: 1, hour: 0 };
    const outcome = SliceOutcome.fromPartial({
      message: message.code,
      messageId: message.id,
      account: 'a',
      application: APP,
      chunk: 0,
      platform: 1,
      variant: 'alert',
      number: batch.slices[0]!.number,
      at: new Date(),
      outcome: {
        $case: 'settled',
        value: { sent: [], failed: [{ ...failed, set: Buffer.from(Bitmap.of([1]).encode()) }] },
      },
    });
    const value = SliceOutcome.encode(outcome).finish();
    for (let i = 0; i < 3; i++) await broker.publish(topicNames.outcomes, [{ key: messageChunkKey(outcome), value }]);
    await sendOne({ audience: named(), ...cap });
    expect(await sentTo(await sendOne(cap))).toEqual([0, 1, 2]);
    expect(await sentTo(await sendOne(cap))).toEqual([1]);
    expect(await sentTo(await sendOne(cap))).toEqual([]);
    expect(await db.collection(COUNTED_PAGES).countDocuments()).toBe(1);
  });

  it('removes sends that count for no cap any more', async () => {
    const { db, clock, sendOne, sentTo } = await capping(3);
    await sendOne({});
    clock.advance(30 * DAY_SECONDS - 1);
    const sweep = () => removeExpired(db, new OutgoingMessages(db, clock), clock.date);
    await sweep();
    expect(await sentTo(await sendOne({ capping: { days: 30, count: 1 } }))).toEqual([]);
    clock.advance(3 * DAY_SECONDS);
    await sweep();
    expect(await db.collection(COUNTED_PAGES).countDocuments()).toBe(0);
  });
});
