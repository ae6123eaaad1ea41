import { describe, expect, it } from '@jest/globals';
import type { MessageOpen } from '@tidings/delivery';
import { Conversion, MailOpen, ReportKind, Reports } from '@tidings/events';
import { gatherReports } from '../report-changes.ts';
import {
  type Action,
  activityId,
  activityKeyOf,
  BLOCK_SIZES,
  decodeActions,
  decodeCredits,
  decodeOpens,
  decodeOpensOf,
  dayOf,
  type OpenRows,
  encodeActions,
  encodeCredits,
  mergeActions,
  mergeOpens,
} from './activity.ts';
import { actionChanges, openChanges } from './facts.ts';

const BLOCK = 3;
const FIRST = BLOCK * BLOCK_SIZES.events;
const FIRST_OPEN = BLOCK * BLOCK_SIZES.opens;
const open = (position: number, message: string, second: number): MessageOpen => ({
  position,
  platform: 1,
  message,
  second,
});
const merge = (opens: readonly MessageOpen[], stored?: OpenRows): OpenRows =>
  mergeOpens(
    dayOf(opens[0]?.second ?? 0),
    stored,
    opens.map(({ message, platform, position, second }) => ({
      message,
      platform,
      positions: [position],
      seconds: [second],
    })),
  );
const action = (position: number, commit: number, more: Partial<Action> = {}): Action => ({
  position,
  commit,
  index: 0,
  second: 1000 + commit,
  name: 'Buy',
  amount: undefined,
  ...more,
});

describe('the parts of an activity document', () => {
  it('are read as they were written', () => {
    const last = 2 ** 32 - 1;
    const final = FIRST_OPEN + BLOCK_SIZES.opens - 1;
    const opens = [open(FIRST_OPEN, 'A', last - 2), open(FIRST_OPEN, 'B', last - 1), open(final, 'B', last)];
    const merged = merge(opens.toReversed());
    expect(decodeOpens(merged, BLOCK)).toEqual(opens);
    expect(merged.messages).toEqual(['A', 'B']);
    const actions = [
      action(FIRST, 1, { amount: -0.1 }),
      action(FIRST + 9, 2 ** 40, { second: 5, index: 65_535, name: 'Größe' }),
      action(FIRST, 3, { amount: 0 }),
    ];
    expect(decodeActions(encodeActions(actions), BLOCK)).toEqual(actions);
    const credits = [
      { position: FIRST + 1, platform: 3, message: 'A', name: 'Buy', hits: 2, revenue: 1.25 },
      { position: FIRST + 2, platform: 1, message: 'B', name: 'Look', hits: 70_000, revenue: undefined },
    ];
    expect(decodeCredits(encodeCredits(credits), BLOCK)).toEqual(credits);
  });

  it('keep the first open of a message, and each event once', () => {
    const opens = merge([open(FIRST_OPEN, 'A', 9), open(FIRST_OPEN, 'B', 8), open(FIRST_OPEN, 'A', 7)]);
    expect(decodeOpens(opens, BLOCK)).toEqual([open(FIRST_OPEN, 'A', 7), open(FIRST_OPEN, 'B', 8)]);
    const twice = [action(1, 2), action(1, 1), action(1, 1, { index: 1 }), action(1, 2)];
    expect(mergeActions(twice)).toEqual([action(1, 1), action(1, 1, { index: 1 }), action(1, 2)]);
  });

  it('are read by block of events', () => {
    const [first, second] = [4 * BLOCK, 4 * BLOCK + 1].map((block) => block * BLOCK_SIZES.events) as [number, number];
    const opens = [first, second - 1, second, second + 1, first + BLOCK_SIZES.opens - 1].map((position) =>
      open(position, 'A', 7),
    );
    const blocks = [0, 1, 2, 3].map((i) => decodeOpensOf(merge(opens), 4 * BLOCK + i));
    expect(blocks).toEqual([opens.slice(0, 2), opens.slice(2, 4), [], opens.slice(4)]);
  });

  it('are bounded per device, with the same rows in any order', () => {
    const many = Array.from({ length: 600 }, (_, i) => i);
    const opens = many.map((i) => open(FIRST_OPEN, `M${i}`, i));
    const half = merge(opens.filter((_, i) => i % 2 === 1));
    expect(merge(opens).messages).toHaveLength(50);
    expect(decodeOpens(merge(opens), BLOCK)).toEqual(opens.slice(0, 50));
    expect(merge(opens.toReversed(), half)).toEqual(merge(opens));
    expect(merge([], half)).toEqual(half);
    const actions = many.map((i) => action(i % 2, i));
    expect(mergeActions([...actions, ...many.map((i) => action(2, i))])).toHaveLength(600);
    expect(mergeActions([...mergeActions(actions.slice(300)), ...actions.toReversed()])).toEqual(mergeActions(actions));
  });

  it.each([
    ['names', 64, (i: number) => `!${i}`],
    ['long names', 5, (i: number) => String(i).padStart(255, '!')],
  ])('contain a limited number of %s of each device, which displace none of others', (_, most, nameOf) => {
    const hostile = [1, 2, 3, 4].flatMap((position) =>
      Array.from({ length: 300 }, (_name, i) => action(position, i, { name: nameOf(300 * position + i) })),
    );
    const own = [action(0, 500), action(5, 500), action(1, 9_999)];
    const all = mergeActions([...hostile, ...own]);
    expect(all.filter(({ name }) => name === 'Buy')).toEqual([action(0, 500), action(5, 500)]);
    expect(all).toHaveLength(4 * most + 2);
    const [odd, even] = [1, 0].map((rest) => hostile.filter((_row, i) => i % 2 === rest)) as [Action[], Action[]];
    expect(mergeActions([...own, ...mergeActions(odd), ...mergeActions(even)])).toEqual(all);
    expect(mergeActions([...all, ...hostile])).toEqual(all);
  });
});

describe('the activity of facts', () => {
  it('belongs to a block of devices and a day', () => {
    const key = { application: 'AAAAA-BBBBB', chunk: 2, block: 1, day: 20_000 };
    expect(activityKeyOf(activityId('events', key))).toEqual({ ...key, part: 'events' });
    const second = 20_000 * 86_400;
    const reports = (kind: ReportKind) => ({
      key: `k${kind}`,
      value: Reports.fromPartial({
        message: 'M',
        application: key.application,
        chunk: 2,
        kind,
        positions: [4096, 8191, 8192, 4096],
        platforms: [1, 1, 1, 1],
        at: [second, second, second, second - 1],
      }),
    });
    const [opened, delivered] = [ReportKind.REPORT_KIND_OPENED, ReportKind.REPORT_KIND_DELIVERED].map(reports);
    const shown = openChanges(gatherReports([opened!, delivered!])).map((change) => [
      activityId(change.part, change.key),
      change.part === 'opens' && change.opens.positions,
    ]);
    expect(Object.fromEntries(shown)).toEqual({
      'AAAAA-BBBBB/2/opens/20000/1': [4096, 8191],
      'AAAAA-BBBBB/2/opens/20000/2': [8192],
      'AAAAA-BBBBB/2/opens/19999/1': [4096],
    });
  });

  it('has opens of e-mail by people and unknown ones, and clicks, but none of machines (R-H6)', () => {
    const { MAIL_OPEN_HUMAN, MAIL_OPEN_UNKNOWN, MAIL_OPEN_MACHINE, MAIL_OPEN_MACHINE_AMPP } = MailOpen;
    const reports = (kind: ReportKind, positions: number[], opens: MailOpen[] = []) => ({
      key: 'k',
      value: Reports.fromPartial({
        message: 'M',
        application: 'A',
        chunk: 2,
        kind,
        opens,
        positions,
        platforms: positions.map(() => 14),
        at: positions.map(() => 86_400),
      }),
    });
    const classes = [MAIL_OPEN_HUMAN, MAIL_OPEN_UNKNOWN, MAIL_OPEN_MACHINE, MAIL_OPEN_MACHINE_AMPP];
    const gathered = gatherReports([
      reports(ReportKind.REPORT_KIND_MAIL_OPENED, [1, 2, 3, 4], classes),
      reports(ReportKind.REPORT_KIND_MAIL_CLICKED, [5]),
      reports(ReportKind.REPORT_KIND_MAIL_UNSUBSCRIBED, [6]),
    ]);
    const opened = openChanges(gathered).flatMap((change) => (change.part === 'opens' ? change.opens.positions : []));
    expect(opened).toEqual([1, 2, 5]);
  });

  it('has an amount only with a currency, and no data of erased devices', () => {
    const conversion = (more: object) =>
      Conversion.fromPartial({
        application: 'A',
        chunk: 0,
        position: 7,
        at: new Date(5_000_999),
        stamp: { log: 'l', position: 9n, index: 2 },
        name: 'Buy',
        ...more,
      });
    const [change, ...rest] = actionChanges([
      conversion({ amount: 3 }),
      conversion({ amount: 4, currency: 'EUR' }),
      conversion({ name: '' }),
    ]);
    expect(rest).toEqual([]);
    const row = { position: 7, second: 5000, name: 'Buy', commit: 9, index: 2 };
    expect(change).toMatchObject({
      part: 'events',
      rows: [
        { ...row, amount: undefined },
        { ...row, amount: 4 },
      ],
    });
  });
});
