import { expect, it } from '@jest/globals';
import { Bitmap, Platform } from '@tidings/kernel';
import { noParts, type Parts, stagesOf } from '../stages.ts';
import type { DatedCredit } from './activity-store.ts';
import { totalsOf } from './totals.ts';

const DAY = 20_500;
const HOURS = 24;

type Credited = readonly [position: number, day: number];

const countedOf = (platform: number, opened: Partial<Parts>, ...credited: Credited[]): string[] => {
  const of = { application: 'A', platform, chunk: 0 };
  const parts = { ...noParts, plan: { ...noParts.plan, eligible: Bitmap.of([1, 2, 3]) }, ...opened };
  const credits = credited.map(([position, day]): DatedCredit => {
    return { ...of, message: 'M', position, day, name: `${position} on ${day - DAY}`, hits: 1, revenue: undefined };
  });
  const { events } = totalsOf([{ group: { ...of, message: 'M' }, stages: stagesOf(platform, parts) }], credits, []);
  return events.map(({ name }) => name);
};

it('an event counts if its device opened the message for the first time on its day or the day before (R-C11, R-H6)', () => {
  const first = DAY * HOURS;
  const opened = new Map([
    [first - 1, Bitmap.of([1])],
    [first, Bitmap.of([2])],
    [first + 23, Bitmap.of([3])],
  ]);
  const on = (day: number) => [1, 2, 3].map((position) => [position, DAY + day] as const);
  // The opens of day 3 repeat those of the days before.
  const days = [...on(0), ...on(1), ...on(3)];
  expect(countedOf(Platform.iOS, { opened }, ...days)).toEqual(['1 on 0', '2 on 0', '2 on 1', '3 on 0', '3 on 1']);
});

it('an open of an e-mail by a machine is not the first one by a person', () => {
  const early = (...devices: number[]) => new Map([[(DAY - 5) * HOURS, Bitmap.of(devices)]]);
  const mail = { mailOpenedMachine: early(1, 2), mailOpened: early(2), mailClicked: early(3) };
  const today = [1, 2, 3].map((position) => [position, DAY] as const);
  expect(countedOf(Platform.Email, mail, ...today)).toEqual(['1 on 0']);
});
