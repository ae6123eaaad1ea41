import type { BounceCategory } from '@tidings/channels';
import {
  bounceCategories,
  bounceCategoryOf,
  hourOf,
  type HourSets,
  hoursOfSecond,
  isBySecond,
} from '@tidings/delivery';
import { MailOpen, ReportKind, type Reports } from '@tidings/events';
import { Bitmap } from '@tidings/kernel';
import { chunkOf, type DeviceReport, isDeviceReport, type ReportedChunk } from './report-reader.ts';
import { type Change, type ReportPart, reportParts } from './stages.ts';

export type WindowEnds = (message: string) => number | undefined;

interface ReportRecord {
  readonly key: string;
  readonly value: DeviceReport | Reports;
}

type Reported = ReportedAs & {
  readonly platform: number;
  readonly positions: number[];
  readonly seconds: number[];
};

type ReportedAs =
  | { readonly part: ReportPart }
  /** Codes and texts are not stored: mail servers choose them without bound. */
  | { readonly part: 'mailBounced'; readonly category: BounceCategory };

export interface ReportsOfChunk {
  readonly of: ReportedChunk;
  readonly reported: Map<number, Reported>;
}

export function gatherReports(records: readonly ReportRecord[]): ReportsOfChunk[] {
  const chunks = new Map<string, ReportsOfChunk>();
  for (const { key, value } of records) {
    let chunk = chunks.get(key);
    if (!chunk) chunks.set(key, (chunk = { of: chunkOf(value), reported: new Map() }));
    if (isDeviceReport(value)) gatherOne(chunk.reported, value);
    else gather(chunk.reported, value);
  }
  return [...chunks.values()];
}

export const changesOfReports = (chunks: readonly ReportsOfChunk[], windowEndOf: WindowEnds): Change[] =>
  chunks.flatMap(({ of: { message, application, chunk }, reported }) => {
    const windowEnd = windowEndOf(message);
    return [...reported.values()].map((devices): Change => {
      const group = { message, application, platform: devices.platform, chunk };
      const times = timesOf(devices, windowEnd);
      return devices.part === 'mailBounced'
        ? { group, part: devices.part, value: new Map([[devices.category, times]]) }
        : { group, part: devices.part, value: times };
    });
  });

function timesOf(
  { positions, seconds }: Pick<Reported, 'positions' | 'seconds'>,
  windowEnd: number | undefined,
): HourSets {
  const hour = hourOf(seconds[0]! * 1000);
  if (!isBySecond(hour, windowEnd)) return new Map([[hour, Bitmap.of(positions)]]);
  const bySecond = Map.groupBy(positions.keys(), (i) => seconds[i]!);
  return new Map(
    [...bySecond].map(([second, devices]) => [hoursOfSecond(second), Bitmap.of(devices.map((i) => positions[i]!))]),
  );
}

/** The bound keeps combined numbers small integers of V8. */
const PLATFORMS = 64;
const NUMBERS = 32;

function gatherOne(reported: Map<number, Reported>, { kind, position, platform, second }: DeviceReport): void {
  add(reported, numbersOfKinds[kind]!, position, platform, second);
}

function gather(reported: Map<number, Reported>, reports: Reports): void {
  const { positions, platforms, at } = reports;
  for (let i = 0; i < positions.length; i++) {
    const number = numberOf(reports, i);
    if (number === undefined) return;
    add(reported, number, positions[i]!, platforms[i]!, at[i]!);
  }
}

function add(
  reported: Map<number, Reported>,
  number: number,
  position: number,
  platform: number,
  second: number,
): void {
  const key = (hourOf(second * 1000) * PLATFORMS + platform) * NUMBERS + number;
  const alike = reported.get(key);
  if (alike) {
    alike.positions.push(position);
    alike.seconds.push(second);
  } else reported.set(key, { ...reportedAs[number]!, platform, positions: [position], seconds: [second] });
}

const reportedAs: readonly ReportedAs[] = [
  ...reportParts.map((part) => ({ part })),
  ...bounceCategories.map((category) => ({ part: 'mailBounced' as const, category })),
];

const numberOfPart = (part: ReportPart): number => reportParts.indexOf(part);

function numberOf({ kind, opens, categories }: Reports, entry: number): number | undefined {
  switch (kind) {
    case ReportKind.REPORT_KIND_MAIL_OPENED:
      return numbersOfOpens[opens[entry]!] ?? numbersOfOpens[MailOpen.MAIL_OPEN_UNKNOWN];
    case ReportKind.REPORT_KIND_MAIL_BOUNCED:
      return reportParts.length + bounceCategories.indexOf(bounceCategoryOf(categories[entry] ?? ''));
    default:
      return numbersOfKinds[kind];
  }
}

const numbersOfOpens: Readonly<Partial<Record<MailOpen, number>>> = {
  [MailOpen.MAIL_OPEN_HUMAN]: numberOfPart('mailOpened'),
  [MailOpen.MAIL_OPEN_UNKNOWN]: numberOfPart('mailOpenedUnknown'),
  [MailOpen.MAIL_OPEN_MACHINE_AMPP]: numberOfPart('mailOpenedAmpp'),
  [MailOpen.MAIL_OPEN_MACHINE]: numberOfPart('mailOpenedMachine'),
};

const numbersOfKinds: Readonly<Partial<Record<ReportKind, number>>> = {
  [ReportKind.REPORT_KIND_DELIVERED]: numberOfPart('delivered'),
  [ReportKind.REPORT_KIND_OPENED]: numberOfPart('opened'),
  [ReportKind.REPORT_KIND_INBOX_REACHED]: numberOfPart('inboxReached'),
  [ReportKind.REPORT_KIND_INBOX_READ]: numberOfPart('inboxRead'),
  [ReportKind.REPORT_KIND_INBOX_OPENED]: numberOfPart('inboxOpened'),
  [ReportKind.REPORT_KIND_INBOX_ENTRY_OPENED]: numberOfPart('inboxEntriesOpened'),
  [ReportKind.REPORT_KIND_MAIL_CLICKED]: numberOfPart('mailClicked'),
  [ReportKind.REPORT_KIND_MAIL_UNSUBSCRIBED]: numberOfPart('mailUnsubscribed'),
  [ReportKind.REPORT_KIND_MAIL_COMPLAINED]: numberOfPart('mailComplained'),
};
