import type { EventPosition } from '../unacked.ts';

export interface DeferredEvent extends EventPosition {
  readonly enqueuedAt: number;
}

export interface DeferredPair {
  readonly key: string;
  readonly events: readonly DeferredEvent[];
  readonly failures: number;
  readonly at: number;
}

export interface DeferredSummary {
  readonly length: number;
  readonly oldest?: number | undefined;
  readonly dropped: number;
}

export type DeferredChange =
  | {
      readonly kind: 'over';
      readonly key: string;
      readonly event: EventPosition;
      readonly next?: DeferredEvent | undefined;
    }
  | { readonly kind: 'failed'; readonly key: string; readonly failures: number; readonly at: number };

/** Writes change only what they name: two owners for a moment lose nothing. */
export interface DeferredStore {
  size(): Promise<number>;
  lastOf(keys: readonly string[]): Promise<ReadonlyMap<string, EventPosition>>;
  add(pairs: readonly DeferredPair[]): Promise<void>;
  apply(changes: readonly DeferredChange[]): Promise<void>;
  soonest(limit: number): Promise<DeferredPair[]>;
  /** Makes pairs due that wait beyond `at`. */
  makeDue(at: number): Promise<number>;
  oldest(limit: number): Promise<DeferredPair[]>;
}
