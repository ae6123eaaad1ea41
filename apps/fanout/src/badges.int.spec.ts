import { expect, it } from '@jest/globals';
import { Content, type MessageAccepted, type SendBatch } from '@tidings/events';
import { type DeviceDocument, DEVICES, BADGE_BLOCKS, PLANS } from '@tidings/registry-store';
import { device, named, selection } from '@tidings/registry-store/testing';
import { describeWithMongo } from '@tidings/testing';
import { badgeContent } from './testing/badge-log.ts';
import { newMessage, type NewMessage, release } from './testing/fanout-messages.ts';
import { fanoutWorlds, settle } from './testing/fanout-world.ts';

function badgesIn({ positions, badges }: SendBatch): [number, number][] {
  const shown = new Int32Array(new Uint8Array(badges).buffer);
  return Array.from(new Uint16Array(new Uint8Array(positions).buffer), (position, i) => [position, shown[i]!]);
}

describeWithMongo('badges (R-C9)', (mongo) => {
  const world = fanoutWorlds(mongo);

  const badges = async (devices: readonly DeviceDocument[], options: Parameters<typeof world>[1] = {}) => {
    const opened = await world(devices, options);
    const { db, broker, clock, dispatchers, start } = opened;
    const fanout = await start();
    const messageOf = (badge: string, accepted: Partial<MessageAccepted> = {}): NewMessage =>
      newMessage({ audience: selection(), content: badgeContent(badge), ...accepted });
    const send = async (...messages: readonly NewMessage[]): Promise<void> => {
      await Promise.all(messages.map((message) => release(broker, message, clock.date)));
      await settle(fanout, clock, dispatchers, options.chance ? 4 : 0);
    };
    const emittedOf = ({ code }: NewMessage) =>
      dispatchers.batches.filter(({ message }) => message === code).map((batch) => Object.fromEntries(badgesIn(batch)));
    return {
      ...opened,
      messageOf,
      send,
      emittedOf,
      fanout,
      shown: async (badge: string, accepted?: Partial<MessageAccepted>) => {
        const message = messageOf(badge, accepted);
        await send(message);
        return emittedOf(message).at(-1);
      },
      setBadge: (seq: number, badge: number) =>
        db
          .collection<DeviceDocument>(DEVICES)
          .updateOne({ seq }, { $set: { 'self.badge': badge }, $inc: { 'self.setBadges': 1 } }),
    };
  };
  const phones = [0, 1, 2].map((seq) => device(seq, { platform: 1 }));

  it('are 1 to 8 for consecutive messages, in both lanes and beside each other', async () => {
    const { messageOf, send, emittedOf, shown } = await badges(phones);
    const messages = Array.from({ length: 8 }, (_, i) =>
      messageOf('+1', i % 2 === 0 ? { audience: named(0, 1) } : { audience: selection() }),
    );
    await send(...messages);
    const of = (position: number) =>
      messages.map((message) => emittedOf(message).at(-1)?.[position] ?? 0).toSorted((a, b) => a - b);
    expect(of(0)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    expect(of(1)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    expect(of(2)).toEqual([0, 0, 0, 0, 1, 2, 3, 4]);
    expect(await shown('+1')).toEqual({ 0: 9, 1: 9, 2: 5 });
  });

  it('count from the badge that the device has set, and from no earlier one', async () => {
    const { shown, setBadge } = await badges(phones);
    expect(await shown('+2')).toEqual({ 0: 2, 1: 2, 2: 2 });
    await setBadge(1, 9);
    await setBadge(2, 0);
    expect(await shown('+1')).toEqual({ 0: 3, 1: 10, 2: 1 });
    expect(await shown('-5')).toEqual({ 0: 0, 1: 5, 2: 0 });
    await shown('7', { audience: named(0) });
    expect(await shown('+1')).toEqual({ 0: 8, 1: 6, 2: 1 });
  });

  it('are returned by failures, once, however often and late these are reported', async () => {
    const { messageOf, send, shown, dispatchers, broker, fanout, clock } = await badges(phones);
    const failing = messageOf('+5');
    dispatchers.refused.add(`${failing.code}/1`);
    await send(failing);
    expect(await shown('+1')).toEqual({ 0: 6, 1: 1, 2: 6 });
    const lag = await broker.lag('fanout.outcomes');
    for (const { topic, partition } of lag) await broker.seek('fanout.outcomes', topic, partition, 0);
    await settle(fanout, clock, dispatchers);
    expect(await shown('+1')).toEqual({ 0: 7, 1: 2, 2: 7 });
  });

  it('are assigned to no excluded or failed device, and to no message without a badge', async () => {
    const { token: _, ...withoutToken } = device(3, { platform: 1 });
    const { shown, messageOf, send, db } = await badges([...phones, withoutToken]);
    const cap = { capping: { days: 1, count: 1 } };
    expect(await shown('+1', { ...cap, audience: named(0, 1) })).toEqual({ 0: 1, 1: 1 });
    expect(await shown('+1', { ...cap, audience: named(0, 1, 2, 3) })).toEqual({ 2: 1 });
    const plain = messageOf('', { content: Content.create() });
    await send(plain);
    await db.collection<DeviceDocument>(DEVICES).updateOne({ seq: 3 }, { $set: { token: 'new' } });
    expect(await shown('+1')).toEqual({ 0: 2, 1: 2, 2: 2, 3: 1 });
    expect(await db.collection(PLANS).countDocuments({ badged: { $exists: true } })).toBe(3);
  });

  it('stay the same in each emission, whatever happens between', async () => {
    let lostSlices = 2;
    const { messageOf, send, emittedOf, shown, setBadge, broker, clock, fanout, dispatchers } = await badges(phones, {
      chance: () => (lostSlices-- > 0 ? 0.1 : 1),
    });
    const [first, second] = [messageOf('+1', { audience: named(0) }), messageOf('+2')];
    await Promise.all([first, second].map((message) => release(broker, message, clock.date)));
    while (dispatchers.batches.length < 2) await fanout.operations.settled({});
    await setBadge(0, 50);
    const third = messageOf('+1');
    await send(third);
    for (const message of [first, second]) {
      const emissions = emittedOf(message);
      expect(emissions.length).toBeGreaterThan(1);
      expect(new Set(emissions.map((each) => JSON.stringify(each))).size).toBe(1);
    }
    expect(emittedOf(third).at(-1)).toEqual({ 0: 51, 1: 3, 2: 3 });
    expect(await shown('+1')).toEqual({ 0: 52, 1: 4, 2: 4 });
  });

  it('become the base of the device in plans without badges, as 0.1.0 created them', async () => {
    let lostSlices = 1;
    const { db, broker, clock, dispatchers, start } = await world(phones, {
      chance: () => (lostSlices-- > 0 ? 0.1 : 1),
    });
    const [old, next] = ['+3', '+1'].map((badge) =>
      newMessage({ audience: selection(), content: badgeContent(badge) }),
    );
    const before = await start();
    await release(broker, old!, clock.date);
    while (dispatchers.batches.length < 1) await before.operations.settled({});
    await before.close();
    await db.collection(PLANS).updateMany({}, { $unset: { badged: '', badges: '' } });
    await db.collection(BADGE_BLOCKS).deleteMany({});
    const fanout = await start();
    await settle(fanout, clock, dispatchers, 4);
    await release(broker, next!, clock.date);
    await settle(fanout, clock, dispatchers, 4);
    expect(dispatchers.batches.map((batch) => badgesIn(batch)[0])).toEqual([
      [0, 3],
      [0, 3],
      [0, 4],
    ]);
  });
});
