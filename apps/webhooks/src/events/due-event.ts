import type { EventsEnqueued } from '@tidings/events';

export interface DueEvent {
  readonly enqueued: Pick<
    EventsEnqueued,
    'message' | 'bucket' | 'application' | 'chunk' | 'kind' | 'platform' | 'variant' | 'slice' | 'entry' | 'details'
  >;
  readonly position: number;
  readonly at: number;
}
