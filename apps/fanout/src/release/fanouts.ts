import { fieldsOf, type LogDefinition } from '@tidings/event-store';
import type { PlanEvent } from '@tidings/events';
import type { ChunkKey } from '@tidings/delivery';
import { messageLogOf } from '@tidings/kernel';
import { planEventCodec, FANOUTS, type FanoutState } from '@tidings/registry-store';
import { eventOf, type MessageIdentity } from './plan-event.ts';
import { fanoutAt, evolveFanout } from './fanout-state.ts';

export interface PlanFanout {
  readonly of: MessageIdentity;
  readonly key: Omit<ChunkKey, 'chunk'>;
  readonly chunks: readonly number[];
  readonly at: Date;
}

export const fanoutLogOf = (message: string): string => `fanouts-${messageLogOf(message)}`;

export const fanoutsLog: LogDefinition<PlanFanout, PlanEvent, FanoutState, readonly number[]> = {
  category: 'fanouts',
  needs: ({ key }) => ({ ids: [fanoutAt(key)] }),
  decide({ of, key, chunks, at }, view) {
    const planned = view.get(fanoutAt(key));
    if (planned) return { events: [], reply: planned.chunks };
    return { events: [eventOf(of, key, at, { $case: 'fanout', value: { chunks: [...chunks] } })], reply: chunks };
  },
  addresses: (event) => [fanoutAt(event)],
  evolve: evolveFanout,
  ...planEventCodec,
  toDocument: ({ chunks, at }) => ({ chunks, at }),
  fields: { [FANOUTS]: fieldsOf<FanoutState>({ chunks: true, at: true }) },
  fromDocument: (document) => document as unknown as FanoutState,
};
