import { expect, it } from '@jest/globals';
import { isSettled, recipientSetId } from '@tidings/delivery';
import { SliceOutcome } from '@tidings/events';
import { describeWithMongo } from '@tidings/testing';
import { SLICE_STATUSES, SliceStatusStore } from './slice-statuses.ts';

describeWithMongo('the statuses of recently emitted slices', (mongo) => {
  const key = { message: 'M', bucket: 0, application: 'A', chunk: 0, platform: 3, variant: 'alert' };
  const [first, second] = [key, { ...key, platform: 1 }];
  const ids = [first, second].map(recipientSetId);
  const emission = { partition: 1, offset: 2, at: 3 };

  it('are found, stored by a flush, and never stored once they are settled', async () => {
    const db = mongo.database('registry');
    const statuses = new SliceStatusStore(db);
    const stored = () => db.collection(SLICE_STATUSES).countDocuments();
    statuses.bufferEmitted(first, [{ number: 0, emission }]);
    statuses.settled(ids);
    await statuses.flush();
    expect(await stored()).toBe(0);

    statuses.bufferEmitted(first, [{ number: 0, emission }]);
    statuses.bufferEmitted(first, [{ number: 1, emission }]);
    const found = await statuses.find(ids);
    expect([...found.values()]).toEqual([{ _id: ids[0], emitted: { 0: [1, 2, 3], 1: [1, 2, 3] } }]);

    statuses.bufferEmitted(second, [{ number: 0, emission }]);
    await statuses.flush();
    expect(await stored()).toBe(2);
  });

  it('have the settled slices of several outcomes, beside those that were stored', async () => {
    const db = mongo.database('settled');
    const statuses = new SliceStatusStore(db);
    const outcome = (number: number): SliceOutcome =>
      SliceOutcome.fromPartial({ ...first, number, outcome: { $case: 'settled', value: {} } });
    await statuses.record([outcome(1)]);
    statuses.bufferSettled([outcome(0)]);
    statuses.bufferEmitted(first, [{ number: 2, emission }]);
    statuses.bufferSettled([outcome(40)]);
    expect(await db.collection<{ _id: string }>(SLICE_STATUSES).findOne({ _id: ids[0]! })).toEqual({
      _id: ids[0],
      settled: { 0: 2 },
    });
    const found = (await statuses.find(ids)).get(ids[0]!);
    expect([0, 1, 2, 40].map((number) => isSettled(found, number))).toEqual([true, true, false, true]);
    expect(found!.emitted).toEqual({ 2: [1, 2, 3] });
  });
});
