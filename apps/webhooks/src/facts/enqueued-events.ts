import {
  EnqueuedKind,
  type EventDetails,
  type EventsEnqueued,
  type ReportedEntry,
  type WebhookEvent,
} from '@tidings/events';
import { Bitmap } from '@tidings/kernel';

/** The unit in which events are ordered. */
export interface DeliveryUnit {
  readonly account: string;
  readonly message: string;
  readonly messageId: bigint;
  readonly application: string;
  readonly chunk: number;
}

export type DeliveryChange = Extract<
  NonNullable<WebhookEvent['event']>,
  { readonly $case: 'enqueued' | 'pending' | 'released' }
>;

export const singleKinds = [
  EnqueuedKind.ENQUEUED_KIND_INBOX_DELIVERED,
  EnqueuedKind.ENQUEUED_KIND_INBOX_READ,
  EnqueuedKind.ENQUEUED_KIND_INBOX_OPENED,
  EnqueuedKind.ENQUEUED_KIND_INBOX_DELETED,
  EnqueuedKind.ENQUEUED_KIND_FAILED,
  EnqueuedKind.ENQUEUED_KIND_BOUNCED,
  EnqueuedKind.ENQUEUED_KIND_MAIL_OPENED,
  EnqueuedKind.ENQUEUED_KIND_MAIL_UNSUBSCRIBED,
  EnqueuedKind.ENQUEUED_KIND_MAIL_COMPLAINED,
] as const;
export type SingleKind = (typeof singleKinds)[number];

export type SingleSets = { readonly [Kind in SingleKind]?: Bitmap | undefined };

const kinds: ReadonlySet<EnqueuedKind> = new Set(singleKinds);
export const isSingle = (kind: EnqueuedKind): kind is SingleKind => kinds.has(kind);

export const identityOf = ({ message, messageId, application, chunk }: DeliveryUnit) => ({
  message,
  messageId,
  application,
  chunk,
});

const noSlice = { bucket: 0, variant: '', slice: 0 } as const;

export type Times = ReadonlyMap<number, number>;

export function columnsOf(times: Times): Pick<EventsEnqueued, 'set' | 'at'> {
  const set = Bitmap.of([...times.keys()]);
  const at = Array.from(set.positions(), (position) => times.get(position)!);
  return { set: Buffer.from(set.encode()), at: at.every((time) => time === at[0]) ? at.slice(0, 1) : at };
}

export interface ReportedDevice {
  readonly platform: number;
  readonly position: number;
  readonly at: number;
}

export interface ReportDetails {
  readonly entry?: ReportedEntry | undefined;
  readonly details?: EventDetails | undefined;
}

export function enqueueFirst(
  unit: DeliveryUnit,
  kind: EventsEnqueued['kind'],
  enqueued: Bitmap,
  reports: readonly ReportedDevice[],
  { entry, details }: ReportDetails,
): DeliveryChange[] {
  const seen = new Set<number>();
  const platforms = new Map<number, Map<number, number>>();
  for (const { position, platform, at } of reports) {
    if (enqueued.has(position) || seen.has(position)) continue;
    seen.add(position);
    const times = platforms.get(platform) ?? new Map<number, number>();
    platforms.set(platform, times.set(position, at));
  }
  return [...platforms].map(([platform, times]) => ({
    $case: 'enqueued',
    value: { ...identityOf(unit), ...noSlice, kind, platform, ...columnsOf(times), entry, details },
  }));
}

const { ENQUEUED_KIND_MAIL_CLICKED: CLICKED } = EnqueuedKind;

export interface DetailedReport extends ReportedDevice, ReportDetails {
  readonly kind: SingleKind | typeof CLICKED;
}

/** A set holds one click of a device. */
export const groupOf = ({ kind, entry, details, at }: DetailedReport): string =>
  JSON.stringify([kind, entry && String(entry.order), details, kind === CLICKED && at]);

/** Clicks have no state: a repeated record repeats their UUID (R-EV4). */
export function enqueueDetailed(
  unit: DeliveryUnit,
  enqueued: SingleSets,
  reports: readonly DetailedReport[],
): DeliveryChange[] {
  const changes: DeliveryChange[] = [];
  const byKind = new Map<EnqueuedKind, Bitmap>();
  // A reading follows the listing that it implies.
  const ordered = reports.toSorted((a, b) => a.kind - b.kind);
  for (const [, alike] of Map.groupBy(ordered, groupOf)) {
    const { kind, entry, details } = alike[0]!;
    const before = byKind.get(kind) ?? (kind === CLICKED ? undefined : enqueued[kind]) ?? Bitmap.empty;
    changes.push(...enqueueFirst(unit, kind, before, alike, { entry, details }));
    if (kind !== CLICKED) byKind.set(kind, before.union(Bitmap.of(alike.map(({ position }) => position))));
  }
  return changes;
}
