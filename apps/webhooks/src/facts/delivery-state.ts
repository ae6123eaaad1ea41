import { type EventsEnqueued, EnqueuedKind, type ReportedEntry, type ReportsPending } from '@tidings/events';
import { Bitmap, isDue } from '@tidings/kernel';
import { admit, holdReports, isDetailed, isPlain, type PendingReport, type Report } from './early-reports.ts';
import {
  type DeliveryChange,
  enqueueDetailed,
  enqueueFirst,
  identityOf,
  isSingle,
  type DeliveryUnit,
  type SingleSets,
} from './enqueued-events.ts';
import { enqueueOutcomes, type OutcomeDevices } from './outcome-events.ts';

export interface DeliveryState {
  readonly sent: Bitmap;
  readonly delivered: Bitmap;
  readonly opened: Bitmap;
  readonly single: SingleSets;
  readonly entries: readonly SentEntry[];
  readonly pending: readonly PendingReport[];
}

export interface SentEntry {
  readonly entry: ReportedEntry;
  readonly devices: Bitmap;
}

export const noDeliveries: DeliveryState = {
  sent: Bitmap.empty,
  delivered: Bitmap.empty,
  opened: Bitmap.empty,
  single: {},
  entries: [],
  pending: [],
};

export const HOLD_MS = 30_000;

const { ENQUEUED_KIND_SENT: SENT, ENQUEUED_KIND_DELIVERED: DELIVERED, ENQUEUED_KIND_OPENED: OPENED } = EnqueuedKind;

function enqueueReady(unit: DeliveryUnit, delivery: DeliveryState, reports: readonly Report[]): DeliveryChange[] {
  const entryOf = ({ position }: Report) => delivery.entries.find(({ devices }) => devices.has(position))?.entry;
  const plain = [...Map.groupBy(reports.filter(isPlain), entryOf)].flatMap(([entry, alike]) => {
    const opens = alike.filter(({ kind }) => kind === OPENED);
    return [
      ...enqueueFirst(unit, DELIVERED, delivery.delivered, alike, { entry }),
      ...enqueueFirst(unit, OPENED, delivery.opened, opens, { entry }),
    ];
  });
  return [...plain, ...enqueueDetailed(unit, delivery.single, reports.filter(isDetailed))];
}

export interface SentDevices {
  readonly bucket: number;
  readonly platform: number;
  readonly variant: string;
  readonly slice: number;
  readonly devices: Bitmap;
  readonly entry?: ReportedEntry | undefined;
}

function enqueueSent(
  place: DeliveryUnit,
  delivery: DeliveryState,
  sent: readonly SentDevices[],
  at: Date,
): readonly DeliveryChange[] {
  const changes: DeliveryChange[] = [];
  let sentSoFar = delivery.sent;
  for (const { devices, entry, ...of } of sent) {
    const fresh = devices.minus(sentSoFar);
    if (fresh.size === 0) continue;
    sentSoFar = sentSoFar.union(fresh);
    const columns = { set: Buffer.from(fresh.encode()), at: [Math.floor(at.getTime() / 1000)] };
    changes.push({
      $case: 'enqueued',
      value: { ...identityOf(place), ...of, kind: SENT, ...columns, entry, details: undefined },
    });
  }
  return changes;
}

export function enqueueOutcome(
  place: DeliveryUnit,
  delivery: DeliveryState,
  { sent, others }: { readonly sent: readonly SentDevices[]; readonly others: readonly OutcomeDevices[] },
  at: Date,
): readonly DeliveryChange[] {
  const changes = [...enqueueSent(place, delivery, sent, at), ...enqueueOutcomes(place, delivery, others, at)];
  if (delivery.pending.length === 0) return changes;
  const after = changes.reduce(evolveDelivery, delivery);
  const released = delivery.pending.filter(({ position }) => after.sent.has(position));
  return [...changes, ...enqueueReady(place, after, released)];
}

function isEnqueued(delivery: DeliveryState, { kind, position }: Report): boolean {
  if (kind === DELIVERED || kind === OPENED) {
    return delivery.opened.has(position) || (kind === DELIVERED && delivery.delivered.has(position));
  }
  return isSingle(kind) && (delivery.single[kind]?.has(position) ?? false);
}

export function enqueueReports(
  place: DeliveryUnit,
  delivery: DeliveryState,
  reports: readonly Report[],
  now: Date,
): readonly DeliveryChange[] {
  const ready = reports.filter(({ position }) => delivery.sent.has(position));
  const early = reports.filter((report) => !delivery.sent.has(report.position) && !isEnqueued(delivery, report));
  const { waiting, others } = admit(delivery.pending, early);
  return [
    ...enqueueReady(place, delivery, [...ready, ...others]),
    ...holdReports(place, waiting, new Date(now.getTime() + HOLD_MS)),
  ];
}

/** Drops reports about unknown messages (R-C11). */
export function releasePending(
  place: DeliveryUnit,
  delivery: DeliveryState,
  now: Date,
  isKnown: boolean,
): readonly DeliveryChange[] {
  const isSetBack = delivery.pending.some(({ until }) => until > now.getTime() && isDue(until, now.getTime(), HOLD_MS));
  const due = isSetBack ? delivery.pending : delivery.pending.filter(({ until }) => until <= now.getTime());
  if (due.length === 0) return [];
  const until = new Date(due.reduce((latest, each) => Math.max(latest, each.until), now.getTime()));
  const { message, application, chunk } = place;
  return [
    ...(isKnown ? enqueueReady(place, delivery, due) : []),
    { $case: 'released', value: { message, application, chunk, until } },
  ];
}

export function timesOf(positions: Uint16Array, at: readonly number[]): (rank: number) => number {
  return at.length === positions.length ? (rank) => at[rank]! : () => at[0] ?? 0;
}

function withEntry(entries: readonly SentEntry[], entry: ReportedEntry, devices: Bitmap): readonly SentEntry[] {
  const existing = entries.find((each) => each.entry.order === entry.order && each.entry.removal === entry.removal);
  const others = entries.filter((each) => each !== existing);
  return [...others, { entry, devices: existing ? existing.devices.union(devices) : devices }];
}

function evolveEnqueued(delivery: DeliveryState, { kind, set, entry }: EventsEnqueued): DeliveryState {
  const devices = Bitmap.decode(set);
  switch (kind) {
    case SENT: {
      const pending = delivery.pending.filter(({ position }) => !devices.has(position));
      const entries = entry ? withEntry(delivery.entries, entry, devices) : delivery.entries;
      return { ...delivery, sent: delivery.sent.union(devices), entries, pending };
    }
    case DELIVERED:
      return { ...delivery, delivered: delivery.delivered.union(devices) };
    case OPENED:
      return { ...delivery, opened: delivery.opened.union(devices) };
    default: {
      if (!isSingle(kind)) return delivery;
      const { single } = delivery;
      return { ...delivery, single: { ...single, [kind]: single[kind]?.union(devices) ?? devices } };
    }
  }
}

function evolvePending(delivery: DeliveryState, change: ReportsPending): DeliveryState {
  const { kind, platform, set, at, until, details } = change;
  const positions = Bitmap.decode(set).positions();
  const timeOf = timesOf(positions, at);
  const pending = Array.from(positions, (position, rank): PendingReport => ({
    kind: kind as Report['kind'],
    platform,
    position,
    ...(details && { details }),
    at: timeOf(rank),
    until: until!.getTime(),
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
