import {
  type ChunkStages,
  type FailedDevices,
  hourOf,
  type HourSets,
  hoursOfSecond,
  isBySecond,
  mergeHours,
  noHours,
} from '@tidings/delivery';
import type {
  ChunkPlanned,
  FailedSet,
  InboxAudience,
  PlanEvent,
  Reports,
  SliceOutcome,
  SliceSettled,
} from '@tidings/events';
import { ReportKind } from '@tidings/events';
import { Bitmap, TEST_CHUNK } from '@tidings/kernel';

/** The key of a statistics document: the devices of a platform in a chunk of an application, for one message. */
export interface Group {
  readonly message: string;
  readonly application: string;
  readonly platform: number;
  readonly chunk: number;
}

/** The data of each source topic on a group. Each part has one source, so that parts never wait for one another (sending 5). */
export interface Parts {
  readonly plan: {
    readonly eligible: Bitmap;
    readonly excluded: ReadonlyMap<string, Bitmap>;
    readonly failed: readonly FailedDevices[];
    /** The audience of the inbox. */
    readonly inboxEligible: Bitmap;
    readonly inboxExcluded: ReadonlyMap<string, Bitmap>;
  };
  readonly wire: {
    readonly sent: HourSets;
    readonly notDisplayable: Bitmap;
    readonly failed: readonly FailedDevices[];
  };
  readonly delivered: HourSets;
  readonly opened: HourSets;
  readonly inboxReached: HourSets;
  readonly inboxRead: HourSets;
  readonly inboxOpened: HourSets;
  readonly inboxEntriesOpened: HourSets;
}

/** The parts that reports of devices make, each of a kind of its own. */
export const reportParts = [
  ...(['delivered', 'opened'] as const),
  ...(['inboxReached', 'inboxRead', 'inboxOpened', 'inboxEntriesOpened'] as const),
] as const;
export type ReportPart = (typeof reportParts)[number];

export type PartName = keyof Parts;

export const noParts: Parts = {
  plan: {
    ...{ eligible: Bitmap.empty, excluded: new Map<string, never>(), failed: [] },
    ...{ inboxEligible: Bitmap.empty, inboxExcluded: new Map<string, never>() },
  },
  wire: { sent: noHours, notDisplayable: Bitmap.empty, failed: [] },
  ...{ delivered: noHours, opened: noHours },
  ...{ inboxReached: noHours, inboxRead: noHours, inboxOpened: noHours, inboxEntriesOpened: noHours },
};

/** The addition of one fact to a part of a group; merging is commutative and idempotent. */
export type Change = {
  readonly [P in PartName]: { readonly group: Group; readonly part: P; readonly value: Parts[P] };
}[PartName];

const merges: { readonly [P in PartName]: (all: readonly Parts[P][]) => Parts[P] } = {
  plan: (all) => ({
    eligible: Bitmap.union(all.map(({ eligible }) => eligible)),
    excluded: mergeExcluded(all.map(({ excluded }) => excluded)),
    failed: mergeFailed(all.flatMap(({ failed }) => failed)),
    inboxEligible: Bitmap.union(all.map(({ inboxEligible }) => inboxEligible)),
    inboxExcluded: mergeExcluded(all.map(({ inboxExcluded }) => inboxExcluded)),
  }),
  wire: (all) => ({
    sent: mergeHours(all.map(({ sent }) => sent)),
    notDisplayable: Bitmap.union(all.map(({ notDisplayable }) => notDisplayable)),
    failed: mergeFailed(all.flatMap(({ failed }) => failed)),
  }),
  ...{ delivered: mergeHours, opened: mergeHours },
  ...{ inboxReached: mergeHours, inboxRead: mergeHours, inboxOpened: mergeHours, inboxEntriesOpened: mergeHours },
};

/** The union of a part and the additions of facts; merging many at once costs little more than one. */
export const mergeParts = <P extends PartName>(part: P, all: readonly Parts[P][]): Parts[P] => merges[part](all);

function mergeExcluded(all: readonly ReadonlyMap<string, Bitmap>[]): ReadonlyMap<string, Bitmap> {
  const entries = all.flatMap((excluded) => [...excluded]);
  const byReason = Map.groupBy(entries, ([reason]) => reason);
  return new Map([...byReason].map(([reason, sets]) => [reason, Bitmap.union(sets.map(([, set]) => set))]));
}

const kindOf = ({ category, code, name }: FailedDevices): string => JSON.stringify([category, code, name]);

function mergeFailed(all: readonly FailedDevices[]): readonly FailedDevices[] {
  return [...Map.groupBy(all, kindOf).values()].map((alike) => ({
    ...alike[0]!,
    hours: mergeHours(alike.map(({ hours }) => hours)),
  }));
}

/**
 * The sets that metrics and funnels are counted from. A recipient who joined a message more than once is counted once (R-H11), with the best outcome:
 * sent before failed, eligible before excluded; the first of several failures.
 */
export function stagesOf(platform: number, parts: Parts): ChunkStages {
  const { plan, wire, delivered, opened } = parts;
  const without = (set: Bitmap, others: Bitmap): Bitmap =>
    Bitmap.areDisjoint([set, others]) ? set : set.minus(others);
  const unless = (excluded: ReadonlyMap<string, Bitmap>, eligible: Bitmap): ReadonlyMap<string, Bitmap> =>
    new Map([...excluded].map(([reason, set]) => [reason, without(set, eligible)]));
  return {
    platform,
    eligible: plan.eligible,
    excluded: unless(plan.excluded, plan.eligible),
    failed: firstFailures([...plan.failed, ...wire.failed], Bitmap.union([...wire.sent.values()])),
    sent: wire.sent,
    notDisplayable: wire.notDisplayable,
    delivered,
    opened,
    inbox: {
      eligible: plan.inboxEligible,
      excluded: unless(plan.inboxExcluded, plan.inboxEligible),
      ...{ reached: parts.inboxReached, read: parts.inboxRead, opened: parts.inboxOpened },
      entriesOpened: parts.inboxEntriesOpened,
    },
  };
}

/** Failures of devices without a successful send, each device under its first failure. */
function firstFailures(all: readonly FailedDevices[], sent: Bitmap): readonly FailedDevices[] {
  const sets = all.flatMap((failed) => [...failed.hours].map(([hour, set]) => ({ failed, hour, set })));
  if (Bitmap.areDisjoint([sent, ...sets.map(({ set }) => set)])) return all;
  const inOrder = sets.toSorted((a, b) => a.hour - b.hour || (kindOf(a.failed) < kindOf(b.failed) ? -1 : 1));
  const first: FailedDevices[] = [];
  let known = sent;
  for (const { failed, hour, set } of inOrder) {
    const rest = set.minus(known);
    known = known.union(set);
    if (rest.size > 0) first.push({ ...failed, hours: new Map([[hour, rest]]) });
  }
  return mergeFailed(first);
}

/** The changes of a plan: eligible and excluded devices, and failures before a send. Test devices are in no figure (R-L2). */
export function changesOfPlan({ message, application, event }: PlanEvent): Change[] {
  if (event?.$case !== 'chunk' || event.value.chunk === TEST_CHUNK) return [];
  const { chunk, eligible, excluded, failed, inbox }: ChunkPlanned = event.value;
  const change = (platform: number, plan: Partial<Parts['plan']>): Change => ({
    group: { message, application, platform, chunk },
    part: 'plan',
    value: { ...noParts.plan, ...plan },
  });
  return [
    ...eligible.map(({ platform, set }) => change(platform, { eligible: Bitmap.decode(set) })),
    ...excluded.map(({ platform, reason, set }) =>
      change(platform, { excluded: new Map([[reason, Bitmap.decode(set)]]) }),
    ),
    ...failed.map((one) => change(one.platform, { failed: [failedOf(one)] })),
    ...(inbox ? inboxSets(event.value, inbox) : []).map(([platform, sets]) => change(platform, sets)),
  ];
}

/** The inbox's audience by platform: the plan's own, and devices without a token (R-H12). */
function inboxSets(
  { eligible, excluded }: ChunkPlanned,
  inbox: InboxAudience,
): (readonly [platform: number, sets: Pick<Parts['plan'], 'inboxEligible'> | Pick<Parts['plan'], 'inboxExcluded'>])[] {
  return [
    ...[...eligible, ...inbox.eligible].map(
      ({ platform, set }) => [platform, { inboxEligible: Bitmap.decode(set) }] as const,
    ),
    ...[...excluded, ...inbox.excluded].map(
      ({ platform, reason, set }) => [platform, { inboxExcluded: new Map([[reason, Bitmap.decode(set)]]) }] as const,
    ),
  ];
}

/** The changes of a slice's outcome. A deferral changes no figure. */
export function changesOfOutcome({ message, application, chunk, outcome }: SliceOutcome): Change[] {
  if (outcome?.$case !== 'settled' || chunk === TEST_CHUNK) return [];
  const { sent, failed }: SliceSettled = outcome.value;
  const change = (platform: number, wire: Partial<Parts['wire']>): Change => ({
    group: { message, application, platform, chunk },
    part: 'wire',
    value: { ...noParts.wire, ...wire },
  });
  return [
    ...sent.map(({ platform, hour, set, notDisplayable }) =>
      change(platform, {
        sent: new Map([[hour, Bitmap.decode(set)]]),
        notDisplayable: Bitmap.decode(notDisplayable),
      }),
    ),
    ...failed.map((one) => change(one.platform, { failed: [failedOf(one)] })),
  ];
}

const failedOf = ({ category, code, name, hour, set }: FailedSet): FailedDevices => ({
  category,
  code,
  name,
  hours: new Map([[hour, Bitmap.decode(set)]]),
});

/** The second in which a message's report window ends; undefined if it is not, or no longer, known. */
export type WindowEnds = (message: string) => number | undefined;

/** A record of `tidings.reports`. */
interface ReportRecord {
  /** Message, application and chunk as one text. */
  readonly key: string;
  readonly value: Reports;
}

/** Devices of a chunk with the same report in the same hour; entry i of both lists belongs to device i. */
interface Reported {
  readonly platform: number;
  readonly part: ReportPart;
  readonly positions: number[];
  readonly seconds: number[];
}

/** The reports of a chunk of a message. */
export interface ReportsOfChunk {
  /** Any record of the chunk; identifies it. */
  readonly of: Reports;
  readonly reported: Map<number, Reported>;
}

/**
 * Groups reports by chunk. There may be one record per device, so each is read in a single pass, for cache locality, and costs one look-up by text.
 */
export function gatherReports(records: readonly ReportRecord[]): ReportsOfChunk[] {
  const chunks = new Map<string, ReportsOfChunk>();
  for (const { key, value } of records) {
    let chunk = chunks.get(key);
    if (!chunk) chunks.set(key, (chunk = { of: value, reported: new Map() }));
    gather(chunk.reported, value);
  }
  return [...chunks.values()];
}

/** The changes of reports, by hour, or by second in the hour that the message's window ends in. */
export const changesOfReports = (chunks: readonly ReportsOfChunk[], windowEndOf: WindowEnds): Change[] =>
  chunks.flatMap(({ of: { message, application, chunk }, reported }) => {
    const windowEnd = windowEndOf(message);
    return [...reported.values()].map(({ platform, part, ...devices }): Change => ({
      group: { message, application, platform, chunk },
      part,
      value: timesOf(devices, windowEnd),
    }));
  });

/** The devices of one hour by the time that their reports are stored under. */
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

/** Above any platform code: three values are combined into one number, which stays a small integer of V8. */
const PLATFORMS = 256;
const KINDS = 8;

function gather(reported: Map<number, Reported>, { kind, positions, platforms, at }: Reports): void {
  const part = partsOfKinds[kind];
  if (part === undefined) return;
  for (let i = 0; i < positions.length; i++) {
    const [position, platform, second] = [positions[i]!, platforms[i]!, at[i]!];
    const key = (hourOf(second * 1000) * PLATFORMS + platform) * KINDS + kind;
    const alike = reported.get(key);
    if (alike) {
      alike.positions.push(position);
      alike.seconds.push(second);
    } else reported.set(key, { platform, part, positions: [position], seconds: [second] });
  }
}

const partsOfKinds: Readonly<Partial<Record<ReportKind, ReportPart>>> = {
  [ReportKind.REPORT_KIND_DELIVERED]: 'delivered',
  [ReportKind.REPORT_KIND_OPENED]: 'opened',
  [ReportKind.REPORT_KIND_INBOX_REACHED]: 'inboxReached',
  [ReportKind.REPORT_KIND_INBOX_READ]: 'inboxRead',
  [ReportKind.REPORT_KIND_INBOX_OPENED]: 'inboxOpened',
  [ReportKind.REPORT_KIND_INBOX_ENTRY_OPENED]: 'inboxEntriesOpened',
};
