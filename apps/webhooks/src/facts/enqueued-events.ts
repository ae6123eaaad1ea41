import type { EventDetails, EventsEnqueued, ReportedEntry, WebhookEvent } from '@tidings/events';
import { Bitmap } from '@tidings/kernel';

/** The devices of a chunk of an application, for one message: the unit in which events are ordered. */
export interface Place {
  readonly account: string;
  readonly message: string;
  readonly messageId: bigint;
  readonly application: string;
  readonly chunk: number;
}

/** Changes of the delivery state of a place. */
export type DeliveryChange = Extract<
  NonNullable<WebhookEvent['event']>,
  { readonly $case: 'enqueued' | 'pending' | 'released' }
>;

export const identityOf = ({ message, messageId, application, chunk }: Place) => ({
  message,
  messageId,
  application,
  chunk,
});

/** Reports name no slice. */
const noSlice = { bucket: 0, variant: '', slice: 0 } as const;

/** Times by device position. */
export type Times = ReadonlyMap<number, number>;

/** A set with its column of times; a single entry if all are equal. */
export function columnsOf(times: Times): Pick<EventsEnqueued, 'set' | 'at'> {
  const set = Bitmap.of([...times.keys()]);
  const at = Array.from(set.positions(), (position) => times.get(position)!);
  return { set: Buffer.from(set.encode()), at: at.every((time) => time === at[0]) ? at.slice(0, 1) : at };
}

/** A device's report of any kind. */
export interface ReportedDevice {
  readonly platform: number;
  readonly position: number;
  /** Unix seconds. */
  readonly at: number;
}

/** The parts of the payloads of events that their kind and their message do not say. */
export interface Said {
  readonly entry?: ReportedEntry | undefined;
  readonly details?: EventDetails | undefined;
}

/** Enqueues, per platform, the first report of each device that is not in `enqueued`. */
export function enqueueFirst(
  place: Place,
  kind: EventsEnqueued['kind'],
  enqueued: Bitmap,
  reports: readonly ReportedDevice[],
  { entry, details }: Said = {},
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
    value: { ...identityOf(place), ...noSlice, kind, platform, ...columnsOf(times), entry, details },
  }));
}
