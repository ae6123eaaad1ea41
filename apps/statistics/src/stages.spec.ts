import { describe, expect, it } from '@jest/globals';
import type { HourSets } from '@tidings/delivery';
import { ChunkPlanned, PlanEvent, ReportKind, Reports } from '@tidings/events';
import { Bitmap } from '@tidings/kernel';
import { changesOfReports, gatherReports } from './report-changes.ts';
import { type Change, changesOfPlan, mergeParts, noParts, stagesOf } from './stages.ts';

const HOUR = 495_000;
const { REPORT_KIND_DELIVERED: DELIVERED, REPORT_KIND_OPENED: OPENED } = ReportKind;

type Row = readonly [position: number, platform: number, hour: number];

const reports = (chunk: number, kind: ReportKind, ...rows: Row[]): { key: string; value: Reports } => ({
  key: `M/A/${chunk}`,
  value: Reports.fromPartial({
    message: 'M',
    application: 'A',
    chunk,
    kind,
    positions: rows.map(([position]) => position),
    platforms: rows.map(([, platform]) => platform),
    at: rows.map(([, , hour]) => Math.round(hour * 3600) + 59),
  }),
});

const summaryOf = ({ group, part, value }: Change): unknown => [
  `${group.message}/${group.application}/${group.platform}/${group.chunk}`,
  part,
  part === 'opened' || part === 'delivered' ? [...value].map(([hour, set]) => [hour - HOUR, ...set.positions()]) : [],
];

describe('changesOfReports', () => {
  it('gathers the devices of many records by group, part and hour', () => {
    const gathered = gatherReports([
      reports(0, DELIVERED, [7, 1, HOUR]),
      reports(1, DELIVERED, [7, 1, HOUR]),
      reports(0, OPENED, [7, 1, HOUR]),
      reports(0, DELIVERED, [5, 1, HOUR], [9, 3, HOUR], [8, 1, HOUR + 1]),
      reports(0, DELIVERED, [7, 1, HOUR]),
    ]);
    const changes = changesOfReports(gathered, () => 0);
    expect(changes.map(summaryOf)).toEqual([
      ['M/A/1/0', 'delivered', [[0, 5, 7]]],
      ['M/A/1/0', 'opened', [[0, 7]]],
      ['M/A/3/0', 'delivered', [[0, 9]]],
      ['M/A/1/0', 'delivered', [[1, 8]]],
      ['M/A/1/1', 'delivered', [[0, 7]]],
    ]);
  });

  it('distinguishes seconds in the last hour of the window, and while the end is unknown', () => {
    const records = [reports(0, OPENED, [7, 1, HOUR], [8, 1, HOUR], [9, 1, HOUR + 1 / 3600])];
    const timesOf = (windowEnd: number | undefined) =>
      changesOfReports(gatherReports(records), () => windowEnd).flatMap(({ value }) =>
        [...(value as HourSets)].map(([time, set]) => [Math.round((time - HOUR) * 3600), set.size]),
      );
    for (const windowEnd of [undefined, HOUR * 3600 + 1800]) {
      expect(timesOf(windowEnd)).toEqual([
        [59, 2],
        [60, 1],
      ]);
    }
    expect(timesOf((HOUR + 1) * 3600)).toEqual([[0, 3]]);
  });

  it('takes reports about inboxes by their kinds, except deletions (R-H20)', () => {
    const kinds = [
      ReportKind.REPORT_KIND_INBOX_REACHED,
      ReportKind.REPORT_KIND_INBOX_READ,
      ReportKind.REPORT_KIND_INBOX_OPENED,
      ReportKind.REPORT_KIND_INBOX_DELETED,
      ReportKind.REPORT_KIND_INBOX_ENTRY_OPENED,
    ];
    const gathered = gatherReports(kinds.map((kind) => reports(0, kind, [7, 1, HOUR])));
    expect(changesOfReports(gathered, () => 0).map(({ part }) => part)).toEqual([
      'inboxReached',
      'inboxRead',
      'inboxOpened',
      'inboxEntriesOpened',
    ]);
  });

  it('counts devices with and without a token in the inbox (R-H12)', () => {
    const bytes = (...positions: number[]) => Buffer.from(Bitmap.of(positions).encode());
    const planned = ChunkPlanned.fromPartial({
      eligible: [{ platform: 1, set: bytes(1, 2) }],
      excluded: [{ reason: 'CONTROL_GROUP', platform: 1, set: bytes(3) }],
      inbox: {
        eligible: [{ platform: 1, set: bytes(4) }],
        excluded: [{ reason: 'CONTROL_GROUP', platform: 1, set: bytes(5) }],
      },
    });
    const changes = changesOfPlan(PlanEvent.fromPartial({ event: { $case: 'chunk', value: planned } }));
    const plan = mergeParts('plan', changes.map(({ value }) => value) as (typeof noParts.plan)[]);
    const { eligible, excluded, inbox } = stagesOf(1, { ...noParts, plan });
    expect([eligible, excluded.get('CONTROL_GROUP')!].map((set) => [...set.positions()])).toEqual([[1, 2], [3]]);
    expect([...inbox.eligible.positions()]).toEqual([1, 2, 4]);
    expect([...inbox.excluded.get('CONTROL_GROUP')!.positions()]).toEqual([3, 5]);
  });

  it('skips unknown kinds', () => {
    const gathered = gatherReports([reports(0, 99 as ReportKind, [7, 1, HOUR])]);
    expect(changesOfReports(gathered, () => 0)).toEqual([]);
  });
});

describe('stagesOf', () => {
  const set = (...positions: number[]): Bitmap => Bitmap.of(positions);
  const failed = (name: string, hour: number, ...positions: number[]) => ({
    category: 'PROVIDER_ERROR',
    code: '1',
    name,
    hours: new Map([[hour, set(...positions)]]),
  });

  it('counts a recipient that joined a message repeatedly by the best outcome, or the first failure', () => {
    const { excluded, failed: failures } = stagesOf(1, {
      ...noParts,
      plan: {
        ...noParts.plan,
        eligible: set(1, 2, 3, 4),
        excluded: new Map([['CONTROL_GROUP', set(4, 5)]]),
        failed: [failed('later', HOUR + 1, 2, 3)],
      },
      wire: { ...noParts.wire, sent: new Map([[HOUR + 2, set(1)]]), failed: [failed('first', HOUR, 1, 2)] },
    });
    expect([...excluded].map(([reason, devices]) => [reason, ...devices.positions()])).toEqual([['CONTROL_GROUP', 5]]);
    expect(
      failures.map(({ name, hours }) => [
        name,
        [...hours].map(([hour, devices]) => [hour - HOUR, ...devices.positions()]),
      ]),
    ).toEqual([
      ['first', [[0, 2]]],
      ['later', [[1, 3]]],
    ]);
  });
});
