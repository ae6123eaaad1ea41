import { describe, expect, it } from '@jest/globals';
import type { MessageOpen } from '@tidings/delivery';
import { Conversion, ReportKind, Reports } from '@tidings/events';
import { gatherReports } from '../stages.ts';
import {
  type Action,
  activityId,
  activityKeyOf,
  BLOCK_SIZE,
  decodeActions,
  decodeCredits,
  decodeOpens,
  encodeActions,
  encodeCredits,
  encodeOpens,
  mergeActions,
  mergeOpens,
} from './activity.ts';
import { actionChanges, openChanges } from './facts.ts';

const BLOCK = 3;
const FIRST = BLOCK * BLOCK_SIZE;
const open = (position: number, message: string, second: number): MessageOpen => ({
  ...{ position, platform: 1, message, second },
});
const action = (position: number, commit: number, more: Partial<Action> = {}): Action => ({
  ...{ position, commit, index: 0, second: 1000 + commit, name: 'Buy', amount: undefined },
  ...more,
});

describe('the parts of an activity document', () => {
  it('are read as they were written', () => {
    const opens = [open(FIRST, 'A', 7), open(FIRST + 255, 'B', 2 ** 32 - 1), open(FIRST, 'B', 9)];
    expect(decodeOpens(encodeOpens(opens), BLOCK)).toEqual(opens);
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
    expect(mergeOpens([open(1, 'A', 9), open(1, 'B', 8), open(1, 'A', 7)])).toEqual([open(1, 'A', 7), open(1, 'B', 8)]);
    const twice = [action(1, 2), action(1, 1), action(1, 1, { index: 1 }), action(1, 2)];
    expect(mergeActions(twice)).toEqual([action(1, 1), action(1, 1, { index: 1 }), action(1, 2)]);
  });

  it('are bounded per device, with the same rows in any order', () => {
    const many = Array.from({ length: 600 }, (_, i) => i);
    const opens = many.map((i) => open(1, `M${i}`, i));
    const half = (rows: readonly MessageOpen[]): MessageOpen[] => mergeOpens(rows.filter((_, i) => i % 2 === 1));
    expect(mergeOpens(opens)).toHaveLength(100);
    expect(mergeOpens([...half(opens), ...opens.toReversed()])).toEqual(mergeOpens(opens));
    const actions = many.map((i) => action(i % 2, i));
    expect(mergeActions([...actions, ...many.map((i) => action(2, i))])).toHaveLength(1100);
    expect(mergeActions([...mergeActions(actions.slice(300)), ...actions.toReversed()])).toEqual(mergeActions(actions));
    const named = Array.from({ length: 1500 }, (_, i) => action(i % BLOCK_SIZE, i, { name: `n${i}` }));
    expect(new Set(mergeActions(named).map(({ name }) => name)).size).toBe(1000);
  });
});

describe('the activity of facts', () => {
  it('belongs to a block of devices and a day', () => {
    const key = { application: 'AAAAA-BBBBB', chunk: 2, block: 1, day: 20_000 };
    expect(activityKeyOf(activityId(key))).toEqual(key);
    const second = 20_000 * 86_400;
    const reports = (kind: ReportKind) => ({
      key: `k${kind}`,
      value: Reports.fromPartial({
        ...{ message: 'M', application: key.application, chunk: 2, kind },
        ...{ positions: [256, 511, 512, 256], platforms: [1, 1, 1, 1], at: [second, second, second, second - 1] },
      }),
    });
    const [opened, delivered] = [ReportKind.REPORT_KIND_OPENED, ReportKind.REPORT_KIND_DELIVERED].map(reports);
    const shown = openChanges(gatherReports([opened!, delivered!])).map((change) => [
      activityId(change.key),
      change.rows.map(({ position }) => position),
    ]);
    expect(Object.fromEntries(shown)).toEqual({
      'AAAAA-BBBBB/2/1/20000': [256, 511],
      'AAAAA-BBBBB/2/2/20000': [512],
      'AAAAA-BBBBB/2/1/19999': [256],
    });
  });

  it('has an amount only with a currency, and nothing of erased devices', () => {
    const conversion = (more: object) =>
      Conversion.fromPartial({
        ...{ application: 'A', chunk: 0, position: 7, at: new Date(5_000_999) },
        ...{ stamp: { log: 'l', position: 9n, index: 2 }, name: 'Buy', ...more },
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
