import {
  type EventsEnqueued,
  EnqueuedKind,
  type ReportedEntry,
  type ReportsPending,
  type WebhookEvent,
} from '@tidings/events';
import { Bitmap } from '@tidings/kernel';

/** The devices of a chunk of an application, for one message: the unit in which events are ordered. */
export interface Place {
  readonly account: string;
  readonly message: string;
  readonly messageId: bigint;
  readonly application: string;
  readonly chunk: number;
}

/** A device's report. An open implies a delivery (R-C11). */
export interface Report {
  readonly kind: EnqueuedKind.ENQUEUED_KIND_DELIVERED | EnqueuedKind.ENQUEUED_KIND_OPENED;
  readonly platform: number;
  readonly position: number;
  /** Unix seconds. */
  readonly at: number;
}

export type InboxKind =
  | EnqueuedKind.ENQUEUED_KIND_INBOX_DELIVERED
  | EnqueuedKind.ENQUEUED_KIND_INBOX_READ
  | EnqueuedKind.ENQUEUED_KIND_INBOX_OPENED
  | EnqueuedKind.ENQUEUED_KIND_INBOX_DELETED;

export const inboxKinds: readonly InboxKind[] = [
  EnqueuedKind.ENQUEUED_KIND_INBOX_DELIVERED,
  EnqueuedKind.ENQUEUED_KIND_INBOX_READ,
  EnqueuedKind.ENQUEUED_KIND_INBOX_OPENED,
  EnqueuedKind.ENQUEUED_KIND_INBOX_DELETED,
];

/** A report of the registry about an entry in the inbox, for a device that got the entry. */
export interface InboxReport extends Omit<Report, 'kind'> {
  readonly kind: InboxKind;
  readonly entry: ReportedEntry;
}

/** A report that is waiting for the Sent of its device. */
export interface PendingReport extends Report {
  /** When it is enqueued even without a Sent, in milliseconds since 1970. */
  readonly until: number;
}

/** Enqueued events of a place, each once (R-EV2), and pending reports. */
export interface DeliveryState {
  readonly sent: Bitmap;
  readonly delivered: Bitmap;
  readonly opened: Bitmap;
  /** By the kind of what happened to the entry in the inbox. */
  readonly inbox: InboxSets;
  readonly pending: readonly PendingReport[];
}

export type InboxSets = { readonly [Kind in InboxKind]?: Bitmap | undefined };

export const noDeliveries: DeliveryState = {
  sent: Bitmap.empty,
  delivered: Bitmap.empty,
  opened: Bitmap.empty,
  inbox: {},
  pending: [],
};

/** Maximum wait of a report for its Sent (sending 5). */
export const HOLD_MS = 30_000;

const { ENQUEUED_KIND_SENT: SENT, ENQUEUED_KIND_DELIVERED: DELIVERED, ENQUEUED_KIND_OPENED: OPENED } = EnqueuedKind;

/** Changes of the delivery state of a place. */
export type DeliveryChange = Extract<
  NonNullable<WebhookEvent['event']>,
  { readonly $case: 'enqueued' | 'pending' | 'released' }
>;

const identityOf = ({ message, messageId, application, chunk }: Place) => ({ message, messageId, application, chunk });

/** Times by device position. */
type Times = ReadonlyMap<number, number>;

/** A set with its column of times; a single entry if all are equal. */
function columnsOf(times: Times): Pick<EventsEnqueued, 'set' | 'at'> {
  const set = Bitmap.of([...times.keys()]);
  const at = Array.from(set.positions(), (position) => times.get(position)!);
  return { set: Buffer.from(set.encode()), at: at.every((time) => time === at[0]) ? at.slice(0, 1) : at };
}

/** Enqueues, per platform, the first report of each device that is not in `enqueued`. */
function enqueueFirst(
  place: Place,
  kind: Report['kind'] | InboxKind,
  enqueued: Bitmap,
  reports: readonly Omit<Report, 'kind'>[],
  entry?: ReportedEntry,
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
    value: { ...identityOf(place), kind, bucket: 0, platform, variant: '', ...columnsOf(times), entry },
  }));
}

const enqueueReady = (place: Place, delivery: DeliveryState, reports: readonly Report[]): DeliveryChange[] => [
  ...enqueueFirst(place, DELIVERED, delivery.delivered, reports),
  ...enqueueFirst(
    place,
    OPENED,
    delivery.opened,
    reports.filter(({ kind }) => kind === OPENED),
  ),
];

/** Devices of one platform that a message was sent to, as one kind of push. */
export interface SentDevices {
  /** The message's bucket: 0, or the recipient who joined the message. */
  readonly bucket: number;
  readonly platform: number;
  readonly variant: string;
  readonly devices: Bitmap;
  /** The entry that the message leaves in inboxes, if any. */
  readonly entry?: ReportedEntry | undefined;
}

/** Enqueues the Sent of devices, once each, then their pending reports. */
export function enqueueSent(
  place: Place,
  delivery: DeliveryState,
  sent: readonly SentDevices[],
  at: Date,
): readonly DeliveryChange[] {
  const changes: DeliveryChange[] = [];
  let known = delivery.sent;
  for (const { devices, entry, ...of } of sent) {
    const fresh = devices.minus(known);
    if (fresh.size === 0) continue;
    known = known.union(fresh);
    const columns = { set: Buffer.from(fresh.encode()), at: [Math.floor(at.getTime() / 1000)] };
    changes.push({
      $case: 'enqueued',
      value: { ...identityOf(place), ...of, kind: SENT, ...columns, entry },
    });
  }
  if (changes.length === 0) return [];
  const released = delivery.pending.filter(({ position }) => known.has(position));
  return [...changes, ...enqueueReady(place, delivery, released)];
}

const isEnqueued = (delivery: DeliveryState, { kind, position }: Report): boolean =>
  delivery.opened.has(position) || (kind === DELIVERED && delivery.delivered.has(position));

/** Pending reports, one column per kind and platform. */
function hold(place: Place, delivery: DeliveryState, reports: readonly Report[], until: Date): DeliveryChange[] {
  const waiting = new Map<number, Report['kind']>(delivery.pending.map(({ position, kind }) => [position, kind]));
  const columns = new Map<
    string,
    { readonly kind: Report['kind']; readonly platform: number; times: Map<number, number> }
  >();
  for (const report of reports) {
    const { kind, platform, position, at } = report;
    const known = waiting.get(position);
    if (isEnqueued(delivery, report) || known === OPENED || known === kind) continue;
    waiting.set(position, kind);
    const column = columns.get(`${kind}/${platform}`) ?? { kind, platform, times: new Map() };
    column.times.set(position, at);
    columns.set(`${kind}/${platform}`, column);
  }
  return [...columns.values()].map(({ kind, platform, times }) => ({
    $case: 'pending',
    value: { ...identityOf(place), kind, platform, ...columnsOf(times), until },
  }));
}

/** Enqueues the first report of each kind from devices whose Sent is enqueued; the others become pending. */
export function enqueueReports(
  place: Place,
  delivery: DeliveryState,
  reports: readonly Report[],
  now: Date,
): readonly DeliveryChange[] {
  const ready = reports.filter(({ position }) => delivery.sent.has(position));
  const early = reports.filter(({ position }) => !delivery.sent.has(position));
  return [...enqueueReady(place, delivery, ready), ...hold(place, delivery, early, new Date(now.getTime() + HOLD_MS))];
}

/**
 * Enqueues what happened to entries in inboxes, the first of each kind for a device. They wait for nothing: an entry is saved whatever becomes of the
 * push (R-J2).
 */
export function enqueueInbox(
  place: Place,
  { inbox }: DeliveryState,
  reports: readonly InboxReport[],
): DeliveryChange[] {
  const changes: DeliveryChange[] = [];
  for (const kind of inboxKinds) {
    let known = inbox[kind] ?? Bitmap.empty;
    const ofKind = reports.filter((report) => report.kind === kind);
    for (const [, ofEntry] of Map.groupBy(ofKind, ({ entry }) => entry.order)) {
      changes.push(...enqueueFirst(place, kind, known, ofEntry, ofEntry[0]!.entry));
      known = known.union(Bitmap.of(ofEntry.map(({ position }) => position)));
    }
  }
  return changes;
}

/** Enqueues reports whose wait has ended; drops them if the message is unknown (R-C11). */
export function releasePending(
  place: Place,
  delivery: DeliveryState,
  now: Date,
  isKnown: boolean,
): readonly DeliveryChange[] {
  const due = delivery.pending.filter(({ until }) => until <= now.getTime());
  if (due.length === 0) return [];
  const { message, application, chunk } = place;
  return [
    ...(isKnown ? enqueueReady(place, delivery, due) : []),
    { $case: 'released', value: { message, application, chunk, until: now } },
  ];
}

/** The time of each member of a set, by rank; a column of one entry applies to all. */
export function timesOf(positions: Uint16Array, at: readonly number[]): (rank: number) => number {
  return at.length === positions.length ? (rank) => at[rank]! : () => at[0] ?? 0;
}

function evolveEnqueued(delivery: DeliveryState, { kind, set }: EventsEnqueued): DeliveryState {
  const devices = Bitmap.decode(set);
  switch (kind) {
    case SENT:
      return { ...delivery, sent: delivery.sent.union(devices) };
    case DELIVERED: {
      const pending = delivery.pending.filter((report) => report.kind !== DELIVERED || !devices.has(report.position));
      return { ...delivery, delivered: delivery.delivered.union(devices), pending };
    }
    case OPENED: {
      const pending = delivery.pending.filter(({ position }) => !devices.has(position));
      return { ...delivery, opened: delivery.opened.union(devices), pending };
    }
    case EnqueuedKind.ENQUEUED_KIND_INBOX_DELIVERED:
    case EnqueuedKind.ENQUEUED_KIND_INBOX_READ:
    case EnqueuedKind.ENQUEUED_KIND_INBOX_OPENED:
    case EnqueuedKind.ENQUEUED_KIND_INBOX_DELETED: {
      const { inbox } = delivery;
      return { ...delivery, inbox: { ...inbox, [kind]: inbox[kind]?.union(devices) ?? devices } };
    }
    default:
      return delivery;
  }
}

function evolvePending(delivery: DeliveryState, { kind, platform, set, at, until }: ReportsPending): DeliveryState {
  const positions = Bitmap.decode(set).positions();
  const timeOf = timesOf(positions, at);
  const pending = Array.from(positions, (position, rank): PendingReport => ({
    ...{ kind: kind as Report['kind'], platform, position },
    ...{ at: timeOf(rank), until: until!.getTime() },
  }));
  return { ...delivery, pending: [...delivery.pending, ...pending] };
}

export function evolveDelivery(delivery: DeliveryState, change: DeliveryChange): DeliveryState {
  switch (change.$case) {
    case 'enqueued':
      return evolveEnqueued(delivery, change.value);
    case 'pending':
      return evolvePending(delivery, change.value);
    case 'released': {
      const until = change.value.until!.getTime();
      return { ...delivery, pending: delivery.pending.filter((report) => report.until > until) };
    }
  }
}
