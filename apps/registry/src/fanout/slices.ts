import { WORKER_LEASE_MS } from '@tidings/delivery';

/** How much longer than a lease the watchdog waits (`prototypes/sim/send-protocol.mjs`). */
const GRACE_MS = 6_000;
/** Longer than a lease: who has said nothing for so long is dead, or has become a new incarnation. */
export const SILENCE_MS = WORKER_LEASE_MS + GRACE_MS;
/** How soon to ask again whether a record was passed. */
const ASK_AGAIN_MS = 5_000;

/** Where and when a slice was last emitted. */
export interface Emission {
  readonly partition: number;
  readonly offset: number;
  readonly at: number;
}

/** What is known of a slice that is not settled. */
export interface OpenSlice {
  readonly emitted?: Emission | undefined;
  readonly deferredUntil?: number | undefined;
}

/** Whether a slice is to be emitted again, now or at the earliest when. */
export type SliceState = { readonly kind: 'due' } | { readonly kind: 'flying' | 'waiting'; readonly checkAt: number };

/**
 * The watchdog's rule. A slice is emitted again only when it was never recorded as emitted, or the channel's group has passed its record
 * and nothing came for longer than a lease, or its deferral is overdue by more than that. Anything less strands slices or sends them
 * twice; the simulation says so.
 */
export function judge(
  { emitted, deferredUntil }: OpenSlice,
  now: number,
  hasPassed: (emission: Emission) => boolean,
): SliceState {
  if (!emitted) return { kind: 'due' };
  if (deferredUntil !== undefined) {
    const checkAt = deferredUntil + SILENCE_MS;
    return now > checkAt ? { kind: 'due' } : { kind: now > deferredUntil ? 'flying' : 'waiting', checkAt: checkAt + 1 };
  }
  const checkAt = emitted.at + SILENCE_MS;
  if (now <= checkAt) return { kind: 'flying', checkAt: checkAt + 1 };
  return hasPassed(emitted) ? { kind: 'due' } : { kind: 'flying', checkAt: now + ASK_AGAIN_MS };
}
