import { expect, it } from '@jest/globals';
import { isSettled, recipientSetId } from '@tidings/delivery';
import { Content, IosContent, LocaleSettings, MessageAccepted, type MessageEvent, SliceOutcome } from '@tidings/events';
import { Bitmap } from '@tidings/kernel';
import { createCollections } from '@tidings/mongo';
import { type DeviceDocument, DEVICES, devicesModel } from '@tidings/registry-store';
import { describeWithMongo, TestClock } from '@tidings/testing';
import { Badges } from './badges.ts';
import { OutgoingMessages } from '../release/outgoing.ts';
import { SliceStatusStore } from '../emit/slice-statuses.ts';
import { fanoutModels } from '../storage/fanout.schema.ts';

const APP = 'AAAAA-BBBBB';
const COUNT = 100;
const slice = { application: APP, account: 'a', platform: 1, variant: 'alert' };

describeWithMongo('Badges (R-C9)', (mongo) => {
  let worlds = 0;

  const world = async (
    messages: Readonly<Record<string, string | undefined>>,
    byLocale: Readonly<Record<string, string>> = {},
  ) => {
    const db = mongo.database(`badges${++worlds}`);
    await createCollections(db, [devicesModel, ...fanoutModels]);
    const devices = db.collection<DeviceDocument>(DEVICES);
    await devices.insertMany(
      Array.from({ length: COUNT }, (_, seq) => ({
        _id: `${APP}:${seq}`,
        rev: 1,
        account: 'a',
        app: APP,
        hwidHash: `${seq}`,
        seq,
        status: 1,
        hwid: `h${seq}`,
        platform: 1,
        token: `t${seq}`,
        user: 'u',
        lang: 'en',
        cg: 0,
        tags: [],
        owners: [],
        createdAt: 0,
        self: { badge: 10 },
      })),
    );
    const outgoing = new OutgoingMessages(db, new TestClock());
    const at = new TestClock().date;
    await outgoing.store(
      Object.entries(messages).map(([code, badge], i): MessageEvent => {
        const settings = Object.entries(byLocale).map(([language, own]) =>
          LocaleSettings.fromPartial({ language, ios: { badge: own } }),
        );
        const content = { ...Content.create(), data: '{}', ios: { ...IosContent.create(), badge }, settings };
        const value = { ...MessageAccepted.create(), applications: [APP], content };
        return {
          stamp: undefined,
          code,
          id: BigInt(i),
          account: 'a',
          activity: '',
          at,
          event: { $case: 'accepted', value },
        };
      }),
    );
    const statuses = new SliceStatusStore(db);
    const badges = new Badges(db, outgoing, statuses);
    const shown = async () => [...new Set((await devices.find().toArray()).map(({ self }) => self?.badge))];
    const isRecorded = async (of: SliceOutcome) => {
      const id = recipientSetId(of);
      return isSettled((await statuses.find([id])).get(id), of.number);
    };
    return { devices, badges, shown, isRecorded };
  };

  const sent = (message: string): SliceOutcome => {
    const set = Buffer.from(Bitmap.of(Array.from({ length: COUNT }, (_, i) => i)).encode());
    const settled = { $case: 'settled' as const, value: { sent: [{ platform: 1, hour: 1, set }] } };
    return SliceOutcome.fromPartial({ ...slice, message, outcome: settled });
  };

  it('are added once, even if another message came between an outcome and its repeat', async () => {
    const { badges, shown, isRecorded } = await world({ one: '+1', two: '+5' });
    expect(await badges.settle([sent('one')])).toEqual([]);
    expect(await isRecorded(sent('one'))).toBe(true);
    await badges.settle([sent('two')]);
    await badges.settle([sent('one'), sent('two'), sent('one')]);
    expect(await shown()).toEqual([16]);
  });

  it('are not reset by the repeat of an older message', async () => {
    const { badges, shown } = await world({ one: '3', two: '8' });
    await badges.settle([sent('one'), sent('two')]);
    await badges.settle([sent('one')]);
    expect(await shown()).toEqual([8]);
  });

  it('never fall below 0', async () => {
    const { badges, shown, devices } = await world({ one: '-12', two: '-4' });
    await badges.settle([sent('two')]);
    expect(await shown()).toEqual([6]);
    await devices.updateMany({}, { $unset: { 'self.badge': true } });
    await badges.settle([sent('one')]);
    expect(await shown()).toEqual([0]);
  });

  it('are those of the language of a device, once (R-O4)', async () => {
    const { badges, devices } = await world({ one: '2' }, { default: '2', de: '+5', fr: '-20' });
    for (const [seq, lang] of [
      [0, 'de'],
      [1, 'fr'],
      [2, 'it'],
    ] as const) {
      await devices.updateOne({ seq }, { $set: { lang } });
    }
    await devices.updateOne({ seq: 3 }, { $unset: { lang: true } });
    await badges.settle([sent('one')]);
    await badges.settle([sent('one')]);
    const shown = (await devices.find().sort({ seq: 1 }).toArray()).map(({ self }) => self?.badge);
    expect(shown).toEqual([15, 0, ...Array.from({ length: COUNT - 2 }, () => 2)]);
  });

  it('are added once by concurrent settlements of the same slices, while devices change', async () => {
    const { badges, shown, devices } = await world({ one: '+1', two: '+5', three: '+10' });
    const outcomes = ['one', 'two', 'three'].flatMap((message) => [sent(message)]);
    const registered = Array.from({ length: 50 }, (_, i) =>
      devices.updateOne({ seq: i % COUNT }, { $set: { token: `new-${i}` }, $inc: { rev: 1 } }),
    );
    await Promise.all([...Array.from({ length: 6 }, () => badges.settle(outcomes)), ...registered]);
    expect(await shown()).toEqual([26]);
    expect(await devices.countDocuments({ token: /^new/ })).toBe(50);
  });

  it('leave the slice open if the devices cannot be written', async () => {
    const { badges, shown, isRecorded, devices } = await world({ one: '+1' });
    // A validator fails the write of the bases, as a lost connection would.
    await mongo.database(`badges${worlds}`).command({ collMod: DEVICES, validator: { 'self.badge': { $lt: 11 } } });
    await expect(badges.settle([sent('one')])).rejects.toThrow('failed validation');
    expect([await shown(), await isRecorded(sent('one'))]).toEqual([[10], false]);
    await mongo.database(`badges${worlds}`).command({ collMod: DEVICES, validator: {} });
    await badges.settle([sent('one')]);
    expect([await shown(), await isRecorded(sent('one'))]).toEqual([[11], true]);
    expect(await devices.countDocuments({ 'self.badgeOf': 'one' })).toBe(COUNT);
  });

  it('do not affect outcomes without a badge', async () => {
    const { badges, isRecorded } = await world({ one: undefined });
    const deferred = SliceOutcome.fromPartial({
      ...slice,
      message: 'one',
      outcome: { $case: 'deferred', value: { until: new Date(1) } },
    });
    expect(await badges.settle([sent('one'), deferred, sent('unknown')])).toEqual([
      sent('one'),
      deferred,
      sent('unknown'),
    ]);
    expect(await isRecorded(sent('one'))).toBe(false);
  });
});
