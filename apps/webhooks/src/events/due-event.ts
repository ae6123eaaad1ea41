import type { EventsEnqueued } from '@tidings/events';

/** An event of one device, before it is rendered. */
export interface DueEvent {
  readonly enqueued: Pick<
    EventsEnqueued,
    'message' | 'bucket' | 'application' | 'chunk' | 'kind' | 'platform' | 'variant' | 'slice' | 'entry' | 'details'
  >;
  readonly position: number;
  /** Unix seconds. */
  readonly at: number;
}
