import type { Place } from '../unacked.ts';

export interface DeferredEvent extends Place {
  readonly enqueuedAt: number;
}

/** Deferred events of one device and message, in order: only the first is sent. */
export interface DeferredPair {
  readonly key: string;
  readonly events: readonly DeferredEvent[];
  readonly failures: number;
  /** When the first event may be sent, in milliseconds since 1970. */
  readonly at: number;
}

export interface DeferredSummary {
  readonly length: number;
  /** When the oldest one was enqueued, in milliseconds since 1970; undefined if there is none. */
  readonly oldest?: number | undefined;
  readonly dropped: number;
}

export type DeferredChange =
  /** It is acknowledged, given up or dropped. @param next the event after it, as far as it is known */
  | { readonly kind: 'over'; readonly key: string; readonly event: Place; readonly next?: DeferredEvent | undefined }
  | { readonly kind: 'failed'; readonly key: string; readonly failures: number; readonly at: number };

/** The deferred events of one stream. Every write is durable, and changes only what it names: two owners for a moment lose nothing. */
export interface DeferredStore {
  size(): Promise<number>;
  /** The last event of each of these pairs that has any. */
  lastOf(keys: readonly string[]): Promise<ReadonlyMap<string, Place>>;
  add(pairs: readonly DeferredPair[]): Promise<void>;
  /** Applies changes in order. */
  apply(changes: readonly DeferredChange[]): Promise<void>;
  /** The pairs whose first event may be sent soonest, with their first two events. */
  soonest(limit: number): Promise<DeferredPair[]>;
  /** Makes pairs due whose first event may be sent after `at` only. Returns their number. */
  makeDue(at: number): Promise<number>;
  /** The pairs with the oldest first events, with their first two events. */
  oldest(limit: number): Promise<DeferredPair[]>;
}
