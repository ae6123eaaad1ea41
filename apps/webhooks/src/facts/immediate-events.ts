import { type EventDetails, EnqueuedKind } from '@tidings/events';
import { Bitmap } from '@tidings/kernel';
import {
  type DeliveryChange,
  enqueueFirst,
  identityOf,
  type Place,
  type ReportedDevice,
  type Said,
} from './enqueued-events.ts';

const { ENQUEUED_KIND_DELIVERED: DELIVERED, ENQUEUED_KIND_MAIL_CLICKED: CLICKED } = EnqueuedKind;

/** The kinds of events that wait for nothing, each once for a device. */
export const immediateKinds = [
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
export type ImmediateKind = (typeof immediateKinds)[number];

/** The devices whose event is enqueued, by kind. */
export type ImmediateSets = { readonly [Kind in ImmediateKind]?: Bitmap | undefined };

const kinds: ReadonlySet<EnqueuedKind> = new Set(immediateKinds);
export const isImmediate = (kind: EnqueuedKind): kind is ImmediateKind => kinds.has(kind);

/**
 * A report of the registry about an entry in the inbox, for a device that got the entry, or a report about an e-mail. Clicks are enqueued every time:
 * no state is kept of them, and a repeated record repeats an event with its UUID (R-EV4).
 */
export interface ImmediateReport extends ReportedDevice, Said {
  readonly kind: ImmediateKind | typeof CLICKED;
}

/** Reports with the same payload belong into one event of the log; a set holds one click of a device. */
const groupOf = ({ kind, entry, details, at }: ImmediateReport): string =>
  JSON.stringify([kind, entry && String(entry.order), details, kind === CLICKED && at]);

/**
 * Enqueues reports, the first of each kind for a device, and all clicks. They wait for nothing: an entry is saved whatever becomes of the push (R-J2),
 * and a mail is opened after it was accepted, which its slice may tell much later.
 */
export function enqueueImmediate(
  place: Place,
  enqueued: ImmediateSets,
  reports: readonly ImmediateReport[],
): DeliveryChange[] {
  const changes: DeliveryChange[] = [];
  const known = new Map<EnqueuedKind, Bitmap>();
  // By kind, so that a reading follows the listing that it implies.
  const ordered = reports.toSorted((a, b) => a.kind - b.kind);
  for (const [, alike] of Map.groupBy(ordered, groupOf)) {
    const { kind, entry, details } = alike[0]!;
    const before = known.get(kind) ?? (kind === CLICKED ? undefined : enqueued[kind]) ?? Bitmap.empty;
    changes.push(...enqueueFirst(place, kind, before, alike, { entry, details }));
    if (kind !== CLICKED) known.set(kind, before.union(Bitmap.of(alike.map(({ position }) => position))));
  }
  return changes;
}

/** Devices of one platform with the same outcome of a plan or a slice. `DELIVERED`: e-mails that the receiving side accepted. */
export interface OutcomeDevices {
  readonly kind: typeof DELIVERED | EnqueuedKind.ENQUEUED_KIND_FAILED | EnqueuedKind.ENQUEUED_KIND_BOUNCED;
  /** As in SentDevices. */
  readonly bucket: number;
  readonly platform: number;
  readonly variant: string;
  readonly devices: Bitmap;
  readonly details?: EventDetails | undefined;
}

/** Enqueues outcomes, the first of each kind for a device. */
export function enqueueOutcomes(
  place: Place,
  { delivered, immediate }: { readonly delivered: Bitmap; readonly immediate: ImmediateSets },
  outcomes: readonly OutcomeDevices[],
  at: Date,
): DeliveryChange[] {
  const changes: DeliveryChange[] = [];
  const known = new Map<EnqueuedKind, Bitmap>([[DELIVERED, delivered]]);
  for (const { kind, devices, details, ...of } of outcomes) {
    const before = known.get(kind) ?? (kind === DELIVERED ? undefined : immediate[kind]) ?? Bitmap.empty;
    const fresh = devices.minus(before);
    if (fresh.size === 0) continue;
    known.set(kind, before.union(fresh));
    const columns = { set: Buffer.from(fresh.encode()), at: [Math.floor(at.getTime() / 1000)] };
    changes.push({
      $case: 'enqueued',
      value: { ...identityOf(place), ...of, slice: 0, kind, ...columns, entry: undefined, details },
    });
  }
  return changes;
}
