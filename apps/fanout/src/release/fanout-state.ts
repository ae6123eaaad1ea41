import { type ChunkKey, fanoutId } from '@tidings/delivery';
import type { DocumentAddress } from '@tidings/event-store';
import type { PlanEvent } from '@tidings/events';
import { FANOUTS, type FanoutState } from '@tidings/registry-store';

export const fanoutAt = (key: Omit<ChunkKey, 'chunk'>): DocumentAddress => ({
  collection: FANOUTS,
  id: fanoutId(key),
});

export function evolveFanout(state: FanoutState | undefined, { event, at }: PlanEvent): FanoutState {
  if (event?.$case !== 'fanout') throw new Error(`fanouts: cannot apply ${event?.$case}`);
  return state ?? { chunks: event.value.chunks, at: at! };
}
