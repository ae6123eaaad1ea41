import { expect, it } from '@jest/globals';
import { devicesOf } from '@tidings/delivery';
import { type MessageAccepted, MessageEvent, type Offsets, topicNames } from '@tidings/events';
import { Bitmap, seqOf } from '@tidings/kernel';
import { type DeviceDocument, DEVICES, plannedOf } from '@tidings/registry-store';
import { APP, around, device, even, named, selection } from '@tidings/registry-store/testing';
import type { Broker } from '@tidings/streaming';
import { describeWithMongo } from '@tidings/testing';
import { type NewMessage, newMessage } from './testing/fanout-messages.ts';
import { fanoutWorlds, settle } from './testing/fanout-world.ts';

const HOUR = 3600;
const at = new Date('2026-03-01T10:00:00Z');
const localTime = { wallAt: at, defaultAt: at, pastOffsets: 0 };
const withoutOffset: Offsets = { ranges: [], without: true };

describeWithMongo('fan-out of a message with a local time', (mongo) => {
  const world = fanoutWorlds(mongo);
  /** +9, +1, -8 h and none, in two chunks. */
  const devices = [0, 1].flatMap((chunk) =>
    Array.from({ length: 40 }, (_, i) => {
      const tz = [9, 1, -8, undefined][i % 4];
      return device(seqOf(chunk, i), tz === undefined ? {} : { tz: tz * HOUR });
    }),
  );
  const seqsWith = (hours: number | undefined): number[] =>
    devices.filter(({ tz }) => tz === (hours === undefined ? undefined : hours * HOUR)).map(({ seq }) => seq);

  const begin = async (over: Partial<MessageAccepted>) => {
    const opened = await world(devices);
    const message = newMessage({ localTime, ...over });
    const fanout = await opened.start();
    const publish = async (...events: MessageEvent['event'][]): Promise<void> => {
      const records = events.map((event) => {
        const of = { code: message.code, id: message.id, account: 'a', at: opened.clock.date, event };
        return { key: message.code, value: MessageEvent.encode(MessageEvent.fromPartial(of)).finish() };
      });
      await (opened.broker as Broker).publish(topicNames.messages, records);
    };
    await publish({ $case: 'accepted', value: message.accepted });
    const planned = async (of: NewMessage = message): Promise<Record<number, number[]>> => {
      const buckets: Record<number, number[]> = {};
      for (const plan of await opened.plansOf(of)) {
        const [, bucket, , chunk] = plan._id.split('/').map(Number);
        const seqs = Array.from(devicesOf(plannedOf(plan)).positions(), (position) => seqOf(chunk!, position));
        buckets[bucket!] = [...(buckets[bucket!] ?? []), ...seqs].sort((a, b) => a - b);
      }
      return buckets;
    };
    const release = (bucket: number, offsets: Offsets | undefined, last = false): Promise<void> =>
      publish({ $case: 'released', value: { inboxOrder: 0n, step: { bucket, offsets, last } } });
    const move = (seqs: number[], hours: number): Promise<unknown> =>
      opened.db.collection<DeviceDocument>(DEVICES).updateMany({ seq: { $in: seqs } }, { $set: { tz: hours * HOUR } });
    return {
      ...opened,
      message,
      release,
      planned,
      move,
      settled: () => settle(fanout, opened.clock, opened.dispatchers),
    };
  };

  it.each([
    ['a selection', selection()],
    ['named devices', named(...devices.map(({ seq }) => seq))],
  ])('plans each device of %s once, also those that moved between steps', async (_, audience) => {
    const { release, planned, move, settled, dispatchers } = await begin({ audience });
    await release(1, around(9));
    await settled();
    const [, west] = seqsWith(9);
    const [, east] = seqsWith(-8);
    // One has it and meets the time again; one moves to where the time has passed.
    await move([west!], -8);
    await move([east!], 9);
    await release(2, around(1));
    await release(3, withoutOffset);
    await settled();
    await release(4, around(-8));
    await release(5, undefined, true);
    await settled();
    const found = await planned();
    expect(found[1]).toEqual(seqsWith(9));
    expect(found[2]).toEqual(seqsWith(1));
    expect(found[3]).toEqual(seqsWith(undefined));
    const [fourth, fifth] = [found[4] ?? [], found[5] ?? []];
    // The last two are planned at the same time: a device is in one of them.
    expect([...fourth, ...fifth].sort((a, b) => a - b)).toEqual(seqsWith(-8));
    const sent = dispatchers.batches.flatMap(({ chunk, positions }) =>
      Array.from({ length: positions.length / 2 }, (_, i) => seqOf(chunk, positions.readUInt16LE(i * 2))),
    );
    expect(sent.sort((a, b) => a - b)).toEqual(devices.map(({ seq }) => seq));
  });

  it('is repeatable: a step released twice plans nothing new', async () => {
    const { release, planned, settled } = await begin({ audience: selection(even) });
    await release(1, around(9, -8));
    await settled();
    const before = await planned();
    await release(1, around(9, -8));
    await settled();
    expect(await planned()).toEqual(before);
    expect(before[1]!.length).toBeGreaterThan(0);
  });

  it('stores no set of planned devices for other messages', async () => {
    const { db, release, settled, message } = await begin({ audience: selection() });
    await release(1, around(9));
    await settled();
    const kept = await db
      .collection<{ _id: string; devices: { buffer: Uint8Array } }>('plannedDevices')
      .find()
      .toArray();
    expect(kept.map(({ _id }) => _id).sort()).toEqual([0, 1].map((chunk) => `${message.code}/${APP}/${chunk}`));
    expect(Bitmap.decode(kept[0]!.devices.buffer).size).toBe(10);
  });
});
