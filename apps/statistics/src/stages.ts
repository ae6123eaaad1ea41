import {
  bounceCategoryOf,
  type Bounces,
  type ChunkStages,
  type FailedDevices,
  firstBounces,
  type HourSets,
  hoursWithout,
  type MailStages,
  mergeBounces,
  mergeHours,
  noHours,
  resultsIn,
} from '@tidings/delivery';
import type { ChunkPlanned, FailedSet, InboxAudience, PlanEvent, SliceOutcome } from '@tidings/events';
import { Bitmap, Platform, TEST_CHUNK } from '@tidings/kernel';

export interface Group {
  readonly message: string;
  readonly application: string;
  readonly platform: number;
  readonly chunk: number;
}

/** Each part has one source topic, so that parts never wait for one another. */
export interface Parts {
  readonly plan: {
    readonly eligible: Bitmap;
    readonly excluded: ReadonlyMap<string, Bitmap>;
    readonly failed: readonly FailedDevices[];
    readonly inboxEligible: Bitmap;
    readonly inboxExcluded: ReadonlyMap<string, Bitmap>;
  };
  readonly wire: {
    readonly sent: HourSets;
    readonly notDisplayable: Bitmap;
    readonly failed: readonly FailedDevices[];
    readonly bounced: Bounces;
  };
  readonly delivered: HourSets;
  readonly opened: HourSets;
  readonly inboxReached: HourSets;
  readonly inboxRead: HourSets;
  readonly inboxOpened: HourSets;
  readonly inboxEntriesOpened: HourSets;
  readonly mailOpened: HourSets;
  readonly mailOpenedUnknown: HourSets;
  readonly mailOpenedAmpp: HourSets;
  readonly mailOpenedMachine: HourSets;
  readonly mailClicked: HourSets;
  readonly mailUnsubscribed: HourSets;
  readonly mailComplained: HourSets;
  readonly mailBounced: Bounces;
}

export const reportParts = [
  ...(['delivered', 'opened'] as const),
  ...(['inboxReached', 'inboxRead', 'inboxOpened', 'inboxEntriesOpened'] as const),
  ...(['mailOpened', 'mailOpenedUnknown', 'mailOpenedAmpp', 'mailOpenedMachine'] as const),
  ...(['mailClicked', 'mailUnsubscribed', 'mailComplained'] as const),
] as const;
export type ReportPart = (typeof reportParts)[number];

export type PartName = keyof Parts;

const noBounces: Bounces = new Map();

export const noParts: Parts = {
  plan: {
    eligible: Bitmap.empty,
    excluded: new Map<string, never>(),
    failed: [],
    inboxEligible: Bitmap.empty,
    inboxExcluded: new Map<string, never>(),
  },
  wire: { sent: noHours, notDisplayable: Bitmap.empty, failed: [], bounced: noBounces },
  ...(Object.fromEntries(reportParts.map((part) => [part, noHours])) as Record<ReportPart, HourSets>),
  mailBounced: noBounces,
};

/** Merging is commutative and idempotent. */
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
    bounced: mergeBounces(all.map(({ bounced }) => bounced)),
  }),
  ...(Object.fromEntries(reportParts.map((part) => [part, mergeHours])) as Record<ReportPart, typeof mergeHours>),
  mailBounced: mergeBounces,
};

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

/** A recipient who joined more than once counts once, sent before failed (R-H11). */
export function stagesOf(platform: number, parts: Parts): ChunkStages {
  const { plan, wire, delivered, opened } = parts;
  const mail = platform === Platform.Email ? mailStagesOf(parts) : undefined;
  const sent = mail ? mergeHours([mail.accepted, ...mail.bounced.values()]) : wire.sent;
  const without = (set: Bitmap, others: Bitmap): Bitmap =>
    Bitmap.areDisjoint([set, others]) ? set : set.minus(others);
  const unless = (excluded: ReadonlyMap<string, Bitmap>, eligible: Bitmap): ReadonlyMap<string, Bitmap> =>
    new Map([...excluded].map(([reason, set]) => [reason, without(set, eligible)]));
  return {
    platform,
    eligible: plan.eligible,
    excluded: unless(plan.excluded, plan.eligible),
    failed: firstFailures([...plan.failed, ...wire.failed], Bitmap.union([...sent.values()])),
    sent,
    notDisplayable: wire.notDisplayable,
    delivered,
    opened,
    inbox: {
      eligible: plan.inboxEligible,
      excluded: unless(plan.inboxExcluded, plan.inboxEligible),
      reached: parts.inboxReached,
      read: parts.inboxRead,
      opened: parts.inboxOpened,
      entriesOpened: parts.inboxEntriesOpened,
    },
    mail,
  };
}

const mailStagesOf = (parts: Parts): MailStages => ({
  accepted: parts.wire.sent,
  bounced: firstBounces(parts.wire.sent, parts.wire.bounced, parts.mailBounced),
  opened: {
    human: parts.mailOpened,
    unknown: parts.mailOpenedUnknown,
    ampp: parts.mailOpenedAmpp,
    machine: parts.mailOpenedMachine,
  },
  clicked: parts.mailClicked,
  unsubscribed: parts.mailUnsubscribed,
  complained: parts.mailComplained,
});

function firstFailures(all: readonly FailedDevices[], sent: Bitmap): readonly FailedDevices[] {
  const sets = all.flatMap((failed) => [...failed.hours].map(([hour, set]) => ({ failed, hour, set })));
  if (Bitmap.areDisjoint([sent, ...sets.map(({ set }) => set)])) return all;
  const inOrder = sets.toSorted((a, b) => a.hour - b.hour || (kindOf(a.failed) < kindOf(b.failed) ? -1 : 1));
  const first: FailedDevices[] = [];
  let earlier = sent;
  for (const { failed, hour, set } of inOrder) {
    const rest = set.minus(earlier);
    earlier = earlier.union(set);
    if (rest.size > 0) first.push({ ...failed, hours: new Map([[hour, rest]]) });
  }
  return mergeFailed(first);
}

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

export function changesOfOutcome(of: SliceOutcome): Change[] {
  const { message, application, chunk } = of;
  const results = resultsIn(of);
  if (!results || chunk === TEST_CHUNK) return [];
  const { sent, failed, bounced } = results;
  const change = (platform: number, wire: Partial<Parts['wire']>): Change => ({
    group: { message, application, platform, chunk },
    part: 'wire',
    value: { ...noParts.wire, ...wire },
  });
  const refused = Bitmap.union(bounced.map(({ set }) => Bitmap.decode(set)));
  return [
    ...sent.map(({ platform, hour, set, notDisplayable }) =>
      change(platform, {
        sent: hoursWithout(new Map([[hour, Bitmap.decode(set)]]), refused),
        notDisplayable: Bitmap.decode(notDisplayable),
      }),
    ),
    ...failed.map((one) => change(one.platform, { failed: [failedOf(one)] })),
    ...bounced.map(({ platform, category, hour, set }) =>
      change(platform, { bounced: new Map([[bounceCategoryOf(category), new Map([[hour, Bitmap.decode(set)]])]]) }),
    ),
  ];
}

const failedOf = ({ category, code, name, hour, set }: FailedSet): FailedDevices => ({
  category,
  code,
  name,
  hours: new Map([[hour, Bitmap.decode(set)]]),
});
