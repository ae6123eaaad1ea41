import { type EventDetails, EnqueuedKind, type ReportedEntry } from '@tidings/events';
import { Bitmap } from '@tidings/kernel';
import { type DeliveryChange, identityOf, type DeliveryUnit, type SingleSets } from './enqueued-events.ts';

const { ENQUEUED_KIND_DELIVERED: DELIVERED } = EnqueuedKind;

export interface OutcomeDevices {
  readonly kind: typeof DELIVERED | EnqueuedKind.ENQUEUED_KIND_FAILED | EnqueuedKind.ENQUEUED_KIND_BOUNCED;
  readonly bucket: number;
  readonly platform: number;
  readonly variant: string;
  readonly devices: Bitmap;
  readonly details?: EventDetails | undefined;
  readonly entry?: ReportedEntry | undefined;
}

export function enqueueOutcomes(
  unit: DeliveryUnit,
  { delivered, single }: { readonly delivered: Bitmap; readonly single: SingleSets },
  outcomes: readonly OutcomeDevices[],
  at: Date,
): DeliveryChange[] {
  const changes: DeliveryChange[] = [];
  const byKind = new Map<EnqueuedKind, Bitmap>([[DELIVERED, delivered]]);
  for (const { kind, devices, details, entry, ...of } of outcomes) {
    const before = byKind.get(kind) ?? (kind === DELIVERED ? undefined : single[kind]) ?? Bitmap.empty;
    const fresh = devices.minus(before);
    if (fresh.size === 0) continue;
    byKind.set(kind, before.union(fresh));
    const columns = { set: Buffer.from(fresh.encode()), at: [Math.floor(at.getTime() / 1000)] };
    changes.push({
      $case: 'enqueued',
      value: { ...identityOf(unit), ...of, slice: 0, kind, ...columns, entry, details },
    });
  }
  return changes;
}
