import { type ChunkKey, fanoutId } from '@tidings/delivery';
import type { DocumentAddress } from '@tidings/event-store';
import type { PlanEvent } from '@tidings/events';

/** The collection of {@link FanoutState}. */
export const FANOUTS = 'fanouts';

/** The split of a message into chunks of an application. A later split of the same message is the same. */
export interface FanoutState {
  readonly chunks: readonly number[];
  readonly at: Date;
}

export const fanoutAt = (key: Omit<ChunkKey, 'chunk'>): DocumentAddress => ({
  collection: FANOUTS,
  id: fanoutId(key),
});

/** The split after an event. */
export function splitWith(state: FanoutState | undefined, { event, at }: PlanEvent): FanoutState {
  if (event?.$case !== 'fanout') throw new Error(`fanouts: cannot apply ${event?.$case}`);
  return state ?? { chunks: event.value.chunks, at: at! };
}
