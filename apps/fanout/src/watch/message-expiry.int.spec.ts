import { expect, it } from '@jest/globals';
import { fanoutId } from '@tidings/delivery';
import { MessageEvent, topicNames, SliceOutcome } from '@tidings/events';
import { PLANS } from '@tidings/registry-store';
import { APP, device, named } from '@tidings/registry-store/testing';
import type { Broker } from '@tidings/streaming';
import { describeWithMongo } from '@tidings/testing';
import type { Db } from 'mongodb';
import { SLICE_STATUSES } from '../emit/slice-statuses.ts';
import { fanoutWorlds, settle } from '../testing/fanout-world.ts';
import { type NewMessage, newMessage, release } from '../testing/fanout-messages.ts';
import { removeExpired } from './message-expiry.ts';
import { OutgoingMessages } from '../release/outgoing.ts';

const eventOf = ({ code, id }: NewMessage, at: Date, event: MessageEvent['event']): MessageEvent =>
  MessageEvent.fromPartial({ code, id, account: 'a', at, event });

async function publishOutcome(broker: Broker, { code, id }: NewMessage): Promise<void> {
  const recipientSet = { application: APP, platform: 3, variant: 'alert' };
  const settled = { $case: 'settled', value: {} } as const;
  const outcome = SliceOutcome.fromPartial({
    message: code,
    messageId: id,
    account: 'a',
    ...recipientSet,
    outcome: settled,
  });
  await broker.publish(topicNames.outcomes, [{ key: code, value: SliceOutcome.encode(outcome).finish() }]);
}

/** A split into one chunk and the status of a fast outcome are not always stored (ADR 44). */
async function storeAll(db: Db, message: string): Promise<void> {
  const ids = {
    fanouts: fanoutId({ message, bucket: 0, application: APP }),
    [SLICE_STATUSES]: `${message}/0/${APP}/0/3/alert`,
  };
  for (const [name, _id] of Object.entries(ids))
    await db.collection<{ _id: string }>(name).updateOne({ _id }, { $setOnInsert: { _id } }, { upsert: true });
}

describeWithMongo('fan-out', (mongo) => {
  const world = fanoutWorlds(mongo);
  const sent = async (more: { readonly hidden?: boolean } = {}) => {
    const { db, broker, clock, dispatchers, start } = await world([device(0)]);
    const fanout = await start();
    const message = newMessage({ audience: named(0), ...more });
    await release(broker, message, clock.date);
    const settled = (): Promise<void> => settle(fanout, clock, dispatchers);
    await settled();
    return { db, broker, clock, message, settled };
  };

  it('keeps hidden messages for 7 days, with all their plans', async () => {
    const { db, broker, clock, message, settled } = await sent({ hidden: true });
    const shown = newMessage({ audience: named(0) });
    await release(broker, shown, clock.date);
    await settled();
    for (const { code } of [message, shown]) await storeAll(db, code);
    const kept = async () =>
      Promise.all(['outgoing', PLANS, 'fanouts', SLICE_STATUSES].map((name) => db.collection(name).countDocuments()));
    const contents = () => db.collection('outgoing').countDocuments({ accepted: { $exists: true } });
    expect(await kept()).toEqual([2, 2, 2, 2]);
    clock.advance(7 * 86_400 + 1);
    const outgoing = new OutgoingMessages(db, clock);
    await removeExpired(db, outgoing, clock.date);
    expect(await contents()).toBe(1);
    expect((await kept()).slice(1)).toEqual([1, 1, 1]);
    // Data created by late facts is removed when no more can arrive.
    const removed = await db.collection<{ _id: string }>('outgoing').findOne({ removeAt: { $exists: true } });
    await db.collection<{ _id: string }>(SLICE_STATUSES).insertOne({ _id: `${removed!._id}/0/${APP}/0/3/alert` });
    clock.advance(8 * 86_400 + 1);
    await removeExpired(db, outgoing, clock.date);
    expect(await kept()).toEqual([1, 1, 1, 1]);
  });

  it('removes a message of a deleted application, with all its plans (R-B2)', async () => {
    const { db, broker, clock, message, settled } = await sent();
    await storeAll(db, message.code);
    const publishEvent = async (event: MessageEvent['event']): Promise<void> => {
      const value = MessageEvent.encode(eventOf(message, clock.date, event)).finish();
      await broker.publish(topicNames.messages, [{ key: message.code, value }]);
      await settled();
    };
    await publishEvent({ $case: 'failed', value: {} });
    await publishEvent({ $case: 'purged', value: { application: APP, whole: true } });
    await removeExpired(db, new OutgoingMessages(db, clock), clock.date);
    const remaining = [PLANS, 'fanouts', SLICE_STATUSES].map((name) => db.collection(name).countDocuments());
    expect(await Promise.all(remaining)).toEqual([0, 0, 0]);
    expect(await db.collection('outgoing').countDocuments({ accepted: { $exists: true } })).toBe(0);
  });

  it('ignores a late outcome of a message that another process has removed', async () => {
    const { db, broker, clock, message, settled } = await sent({ hidden: true });
    clock.advance(7 * 86_400 + 1);
    await removeExpired(db, new OutgoingMessages(db, clock), clock.date);
    await publishOutcome(broker, message);
    await settled();
    expect(await db.collection(PLANS).countDocuments()).toBe(0);
  });

  it('ignores a late outcome of a cached message that another process has purged (R-B2)', async () => {
    const { db, broker, clock, message, settled } = await sent();
    const other = new OutgoingMessages(db, clock);
    await other.store([eventOf(message, clock.date, { $case: 'purged', value: { application: APP, whole: true } })]);
    await removeExpired(db, other, clock.date);
    await publishOutcome(broker, message);
    await settled();
    expect(await db.collection(PLANS).countDocuments()).toBe(0);
  });
});
