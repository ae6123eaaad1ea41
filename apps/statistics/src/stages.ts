import {
  addToHour,
  type ChunkStages,
  type FailedDevices,
  hourOf,
  type HourSets,
  mergeHours,
  noHours,
} from '@tidings/delivery';
import type { ChunkPlanned, FailedSet, PlanEvent, Reports, WindowOutcome, WindowSettled } from '@tidings/events';
import { ReportKind } from '@tidings/events';
import { ChunkSet } from '@tidings/kernel';

/** Whom a document of statistics is about: the devices of a platform in a chunk of an application, for one message. */
export interface Group {
  readonly message: string;
  readonly application: string;
  readonly platform: number;
  readonly chunk: number;
}

/** What each source topic says of a group. Each part has one source, so parts never wait for one another (sending 5). */
export interface Parts {
  readonly plan: {
    readonly eligible: ChunkSet;
    readonly excluded: ReadonlyMap<string, ChunkSet>;
    readonly failed: readonly FailedDevices[];
  };
  readonly wire: {
    readonly sent: HourSets;
    readonly notDisplayable: ChunkSet;
    readonly failed: readonly FailedDevices[];
  };
  readonly delivered: HourSets;
  readonly opened: HourSets;
}

export type PartName = keyof Parts;

export const noParts: Parts = {
  plan: { eligible: ChunkSet.empty, excluded: new Map(), failed: [] },
  wire: { sent: noHours, notDisplayable: ChunkSet.empty, failed: [] },
  delivered: noHours,
  opened: noHours,
};

/** A part of a group as one fact tells it; merging it again, or in another order, changes nothing. */
export type Change = {
  readonly [P in PartName]: { readonly group: Group; readonly part: P; readonly value: Parts[P] };
}[PartName];

const merges: { readonly [P in PartName]: (a: Parts[P], b: Parts[P]) => Parts[P] } = {
  plan: (a, b) => ({
    eligible: a.eligible.union(b.eligible),
    excluded: mergeMaps(a.excluded, b.excluded, (x, y) => x.union(y)),
    failed: mergeFailed(a.failed, b.failed),
  }),
  wire: (a, b) => ({
    sent: mergeHours(a.sent, b.sent),
    notDisplayable: a.notDisplayable.union(b.notDisplayable),
    failed: mergeFailed(a.failed, b.failed),
  }),
  delivered: mergeHours,
  opened: mergeHours,
};

/** The union of what is known and what a fact adds, for one part. */
export const mergePart = <P extends PartName>(part: P, a: Parts[P], b: Parts[P]): Parts[P] => merges[part](a, b);

function mergeMaps<K, V>(a: ReadonlyMap<K, V>, b: ReadonlyMap<K, V>, join: (x: V, y: V) => V): ReadonlyMap<K, V> {
  const merged = new Map(a);
  for (const [key, value] of b) {
    const present = merged.get(key);
    merged.set(key, present === undefined ? value : join(present, value));
  }
  return merged;
}

const kindOf = ({ category, code, name }: FailedDevices): string => JSON.stringify([category, code, name]);

function mergeFailed(a: readonly FailedDevices[], b: readonly FailedDevices[]): readonly FailedDevices[] {
  const byKind = (list: readonly FailedDevices[]): ReadonlyMap<string, FailedDevices> =>
    new Map(list.map((failed) => [kindOf(failed), failed]));
  const join = (x: FailedDevices, y: FailedDevices): FailedDevices => ({ ...x, hours: mergeHours(x.hours, y.hours) });
  return [...mergeMaps(byKind(a), byKind(b), join).values()];
}

/** The sets that metrics and funnels are read from. */
export const stagesOf = (platform: number, { plan, wire, delivered, opened }: Parts): ChunkStages => ({
  platform,
  eligible: plan.eligible,
  excluded: plan.excluded,
  failed: [...plan.failed, ...wire.failed],
  sent: wire.sent,
  notDisplayable: wire.notDisplayable,
  delivered,
  opened,
});

/** What a plan says: who is eligible, excluded, or fails before anything is sent. */
export function changesOfPlan(event: PlanEvent): Change[] {
  if (event.event?.$case !== 'chunk') return [];
  const planned: ChunkPlanned = event.event.value;
  const parts = new Map<number, Parts['plan']>();
  const add = (platform: number, plan: Partial<Parts['plan']>): void => {
    parts.set(platform, mergePart('plan', parts.get(platform) ?? noParts.plan, { ...noParts.plan, ...plan }));
  };
  for (const { platform, set } of planned.eligible) add(platform, { eligible: ChunkSet.decode(set) });
  for (const { platform, reason, set } of planned.excluded)
    add(platform, { excluded: new Map([[reason, ChunkSet.decode(set)]]) });
  for (const failed of planned.failed) add(failed.platform, { failed: [failedOf(failed)] });
  const { message, application } = event;
  return [...parts].map(([platform, value]) => ({
    group: { message, application, platform, chunk: planned.chunk },
    part: 'plan',
    value,
  }));
}

/** What became of a window. A deferral changes no figure. */
export function changesOfOutcome(outcome: WindowOutcome): Change[] {
  if (outcome.outcome?.$case !== 'settled') return [];
  const settled: WindowSettled = outcome.outcome.value;
  const parts = new Map<number, Parts['wire']>();
  const add = (platform: number, wire: Partial<Parts['wire']>): void => {
    parts.set(platform, mergePart('wire', parts.get(platform) ?? noParts.wire, { ...noParts.wire, ...wire }));
  };
  for (const { platform, hour, set, notDisplayable } of settled.sent) {
    add(platform, { sent: new Map([[hour, ChunkSet.decode(set)]]), notDisplayable: ChunkSet.decode(notDisplayable) });
  }
  for (const failed of settled.failed) add(failed.platform, { failed: [failedOf(failed)] });
  const { message, application, chunk } = outcome;
  return [...parts].map(([platform, value]) => ({
    group: { message, application, platform, chunk },
    part: 'wire',
    value,
  }));
}

const failedOf = ({ category, code, name, hour, set }: FailedSet): FailedDevices => ({
  category,
  code,
  name,
  hours: new Map([[hour, ChunkSet.decode(set)]]),
});

/** What devices reported. A kind that this version does not know is skipped. */
export function changesOfReports(reports: Reports): Change[] {
  const part = { [ReportKind.REPORT_KIND_DELIVERED]: 'delivered', [ReportKind.REPORT_KIND_OPENED]: 'opened' }[
    reports.kind as 1 | 2
  ] as 'delivered' | 'opened' | undefined;
  if (part === undefined) return [];
  const cells = new Map<string, { platform: number; hour: number; positions: number[] }>();
  reports.positions.forEach((position, i) => {
    const platform = reports.platforms[i]!;
    const hour = hourOf(reports.at[i]! * 1000);
    const key = `${platform}/${hour}`;
    const cell = cells.get(key) ?? { platform, hour, positions: [] };
    cell.positions.push(position);
    cells.set(key, cell);
  });
  const { message, application, chunk } = reports;
  return [...cells.values()].map(({ platform, hour, positions }) => ({
    group: { message, application, platform, chunk },
    part,
    value: addToHour(noHours, hour, ChunkSet.of(positions)),
  }));
}
