import { type EventsEnqueued, EnqueuedKind, type ReportedEntry, type ReportsPending } from '@tidings/events';
import { Bitmap } from '@tidings/kernel';
import {
  columnsOf,
  type DeliveryChange,
  enqueueFirst,
  identityOf,
  type Place,
  type ReportedDevice,
} from './enqueued-events.ts';
import { type ImmediateSets, isImmediate } from './immediate-events.ts';

/** A device's report. An open implies a delivery (R-C11). */
export interface Report extends ReportedDevice {
  readonly kind: EnqueuedKind.ENQUEUED_KIND_DELIVERED | EnqueuedKind.ENQUEUED_KIND_OPENED;
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
  readonly immediate: ImmediateSets;
  readonly pending: readonly PendingReport[];
}

export const noDeliveries: DeliveryState = {
  sent: Bitmap.empty,
  delivered: Bitmap.empty,
  opened: Bitmap.empty,
  immediate: {},
  pending: [],
};

/** Maximum wait of a report for its Sent (sending 5). */
export const HOLD_MS = 30_000;

const { ENQUEUED_KIND_SENT: SENT, ENQUEUED_KIND_DELIVERED: DELIVERED, ENQUEUED_KIND_OPENED: OPENED } = EnqueuedKind;

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
  /** The number of their slice. */
  readonly slice: number;
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
      value: { ...identityOf(place), ...of, kind: SENT, ...columns, entry, details: undefined },
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
    default: {
      if (!isImmediate(kind)) return delivery;
      const { immediate } = delivery;
      return { ...delivery, immediate: { ...immediate, [kind]: immediate[kind]?.union(devices) ?? devices } };
    }
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
