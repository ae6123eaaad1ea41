import { describe, expect, it } from '@jest/globals';
import { ReportKind, Reports } from '@tidings/events';
import { type Change, changesOfReports } from './stages.ts';

const HOUR = 495_000;
const { REPORT_KIND_DELIVERED: DELIVERED, REPORT_KIND_OPENED: OPENED } = ReportKind;

type Row = readonly [position: number, platform: number, hour: number];

const reports = (chunk: number, kind: ReportKind, ...rows: Row[]): { key: string; value: Reports } => ({
  key: `M/A/${chunk}`,
  value: Reports.fromPartial({
    ...{ message: 'M', application: 'A', chunk, kind },
    positions: rows.map(([position]) => position),
    platforms: rows.map(([, platform]) => platform),
    at: rows.map(([, , hour]) => hour * 3600 + 59),
  }),
});

const said = ({ group, part, value }: Change): unknown => [
  `${group.message}/${group.application}/${group.platform}/${group.chunk}`,
  part,
  part === 'opened' || part === 'delivered' ? [...value].map(([hour, set]) => [hour - HOUR, ...set.positions()]) : [],
];

describe('changesOfReports', () => {
  it('gathers the devices of many records by group, part and hour', () => {
    const changes = changesOfReports([
      reports(0, DELIVERED, [7, 1, HOUR]),
      reports(1, DELIVERED, [7, 1, HOUR]),
      reports(0, OPENED, [7, 1, HOUR]),
      reports(0, DELIVERED, [5, 1, HOUR], [9, 3, HOUR], [8, 1, HOUR + 1]),
      reports(0, DELIVERED, [7, 1, HOUR]),
    ]);
    expect(changes.map(said)).toEqual([
      ['M/A/1/0', 'delivered', [[0, 5, 7]]],
      ['M/A/1/0', 'opened', [[0, 7]]],
      ['M/A/3/0', 'delivered', [[0, 9]]],
      ['M/A/1/0', 'delivered', [[1, 8]]],
      ['M/A/1/1', 'delivered', [[0, 7]]],
    ]);
  });

  it('skips kinds that it does not know', () => {
    expect(changesOfReports([reports(0, 9 as ReportKind, [7, 1, HOUR])])).toEqual([]);
  });
});
