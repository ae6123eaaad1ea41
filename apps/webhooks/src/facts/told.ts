import { type EventsRaised, RaisedKind, type ReportsHeld, type WebhookEvent } from '@tidings/events';
import { Bitmap } from '@tidings/kernel';

/** Whose events are told of in one order: the devices of a chunk of an application, for one message. */
export interface Place {
  readonly account: string;
  readonly message: string;
  readonly messageId: bigint;
  readonly application: string;
  readonly chunk: number;
}

/** What a device reported. An open implies a delivery (R-C11). */
export interface Report {
  readonly kind: RaisedKind.RAISED_KIND_DELIVERED | RaisedKind.RAISED_KIND_OPENED;
  readonly platform: number;
  readonly position: number;
  /** Unix seconds. */
  readonly at: number;
}

/** A report that waits for its device to be told of as sent. */
export interface HeldReport extends Report {
  /** When it is told of all the same, milliseconds since 1970. */
  readonly until: number;
}

/** What of a place's devices was told, each thing once (R-EV2), and what waits. */
export interface Told {
  readonly sent: Bitmap;
  readonly delivered: Bitmap;
  readonly opened: Bitmap;
  readonly held: readonly HeldReport[];
}

export const nothingTold: Told = {
  sent: Bitmap.empty,
  delivered: Bitmap.empty,
  opened: Bitmap.empty,
  held: [],
};

/** How long a report waits for its Sent (sending 5). */
export const HOLD_MS = 30_000;

const { RAISED_KIND_SENT: SENT, RAISED_KIND_DELIVERED: DELIVERED, RAISED_KIND_OPENED: OPENED } = RaisedKind;

/** What changes what was told of a place. */
export type ToldChange = Extract<
  NonNullable<WebhookEvent['event']>,
  { readonly $case: 'raised' | 'held' | 'released' }
>;

const identityOf = ({ message, messageId, application, chunk }: Place) => ({ message, messageId, application, chunk });

/** Devices with the time of each. */
type Times = ReadonlyMap<number, number>;

/** A set with its column of times, which is one entry where all are the same. */
function columnsOf(times: Times): Pick<EventsRaised, 'set' | 'at'> {
  const set = Bitmap.of([...times.keys()]);
  const at = Array.from(set.positions(), (position) => times.get(position)!);
  return { set: Buffer.from(set.encode()), at: at.every((time) => time === at[0]) ? at.slice(0, 1) : at };
}

/** Events for the first of these reports of each device that is not in `told`, one for each platform. */
function raiseFirst(place: Place, kind: Report['kind'], told: Bitmap, reports: readonly Report[]): ToldChange[] {
  const seen = new Set<number>();
  const platforms = new Map<number, Map<number, number>>();
  for (const { position, platform, at } of reports) {
    if (told.has(position) || seen.has(position)) continue;
    seen.add(position);
    const times = platforms.get(platform) ?? new Map<number, number>();
    platforms.set(platform, times.set(position, at));
  }
  return [...platforms].map(([platform, times]) => ({
    $case: 'raised',
    value: { ...identityOf(place), kind, bucket: 0, platform, ...columnsOf(times) },
  }));
}

const raiseReports = (place: Place, told: Told, reports: readonly Report[]): ToldChange[] => [
  ...raiseFirst(place, DELIVERED, told.delivered, reports),
  ...raiseFirst(
    place,
    OPENED,
    told.opened,
    reports.filter(({ kind }) => kind === OPENED),
  ),
];

/** Devices of one platform that a message was sent to. */
export interface SentDevices {
  /** Of the message: 0, or who joined it. */
  readonly bucket: number;
  readonly platform: number;
  readonly devices: Bitmap;
}

/** Tells of devices that were sent to, for the first time each, and then of what they had reported before. */
export function tellSent(place: Place, told: Told, sent: readonly SentDevices[], at: Date): readonly ToldChange[] {
  const changes: ToldChange[] = [];
  let known = told.sent;
  for (const { bucket, platform, devices } of sent) {
    const fresh = devices.minus(known);
    if (fresh.size === 0) continue;
    known = known.union(fresh);
    const columns = { set: Buffer.from(fresh.encode()), at: [Math.floor(at.getTime() / 1000)] };
    changes.push({ $case: 'raised', value: { ...identityOf(place), kind: SENT, bucket, platform, ...columns } });
  }
  if (changes.length === 0) return [];
  const released = told.held.filter(({ position }) => known.has(position));
  return [...changes, ...raiseReports(place, told, released)];
}

const isTold = (told: Told, { kind, position }: Report): boolean =>
  told.opened.has(position) || (kind === DELIVERED && told.delivered.has(position));

/** A column of reports for each kind and platform. */
function hold(place: Place, told: Told, reports: readonly Report[], until: Date): ToldChange[] {
  const waiting = new Map<number, Report['kind']>(told.held.map(({ position, kind }) => [position, kind]));
  const columns = new Map<
    string,
    { readonly kind: Report['kind']; readonly platform: number; times: Map<number, number> }
  >();
  for (const report of reports) {
    const { kind, platform, position, at } = report;
    const known = waiting.get(position);
    if (isTold(told, report) || known === OPENED || known === kind) continue;
    waiting.set(position, kind);
    const column = columns.get(`${kind}/${platform}`) ?? { kind, platform, times: new Map() };
    column.times.set(position, at);
    columns.set(`${kind}/${platform}`, column);
  }
  return [...columns.values()].map(({ kind, platform, times }) => ({
    $case: 'held',
    value: { ...identityOf(place), kind, platform, ...columnsOf(times), until },
  }));
}

/** Tells of reports whose devices were told of as sent, for the first time each; the others wait. */
export function tellReports(place: Place, told: Told, reports: readonly Report[], now: Date): readonly ToldChange[] {
  const ready = reports.filter(({ position }) => told.sent.has(position));
  const early = reports.filter(({ position }) => !told.sent.has(position));
  return [...raiseReports(place, told, ready), ...hold(place, told, early, new Date(now.getTime() + HOLD_MS))];
}

/** Ends the wait of reports that have waited long enough: they are told of, unless there is no such message (R-C11). */
export function releaseHeld(place: Place, told: Told, now: Date, isKnown: boolean): readonly ToldChange[] {
  const due = told.held.filter(({ until }) => until <= now.getTime());
  if (due.length === 0) return [];
  const { message, application, chunk } = place;
  return [
    ...(isKnown ? raiseReports(place, told, due) : []),
    { $case: 'released', value: { message, application, chunk, until: now } },
  ];
}

/** The time of each member of a set, by its rank; a column of one entry holds for all. */
export function timesOf(positions: Uint16Array, at: readonly number[]): (rank: number) => number {
  return at.length === positions.length ? (rank) => at[rank]! : () => at[0] ?? 0;
}

function evolveRaised(told: Told, { kind, set }: EventsRaised): Told {
  const devices = Bitmap.decode(set);
  switch (kind) {
    case SENT:
      return { ...told, sent: told.sent.union(devices) };
    case DELIVERED: {
      const held = told.held.filter((report) => report.kind !== DELIVERED || !devices.has(report.position));
      return { ...told, delivered: told.delivered.union(devices), held };
    }
    case OPENED: {
      const held = told.held.filter(({ position }) => !devices.has(position));
      return { ...told, opened: told.opened.union(devices), held };
    }
    default:
      return told;
  }
}

function evolveHeld(told: Told, { kind, platform, set, at, until }: ReportsHeld): Told {
  const positions = Bitmap.decode(set).positions();
  const timeOf = timesOf(positions, at);
  const held = Array.from(positions, (position, rank): HeldReport => ({
    ...{ kind: kind as Report['kind'], platform, position },
    ...{ at: timeOf(rank), until: until!.getTime() },
  }));
  return { ...told, held: [...told.held, ...held] };
}

export function evolveTold(told: Told, change: ToldChange): Told {
  switch (change.$case) {
    case 'raised':
      return evolveRaised(told, change.value);
    case 'held':
      return evolveHeld(told, change.value);
    case 'released': {
      const until = change.value.until!.getTime();
      return { ...told, held: told.held.filter((report) => report.until > until) };
    }
  }
}
