import { defineModel, list, number, object, text } from '@tidings/mongo';
import type { DeferredEvent } from './deferred-store.ts';

export interface DeferredDocument {
  /** The subscription, when it began, and `key`. */
  readonly _id: string;
  readonly subscription: string;
  readonly since: number;
  /** The message, the application, and the number of the device. */
  readonly key: string;
  /** In order; empty for a moment before it is removed. */
  readonly events: readonly DeferredEvent[];
  /** Failed sends of the first event, and when it may be sent again. */
  readonly failures: number;
  readonly at: number;
  /** When the first event was enqueued, or earlier. */
  readonly oldest: number;
}

/** Events that left the window of their stream, by device and message: written natively, many at a time. */
export const deferredModel = defineModel<DeferredDocument>({
  name: 'deferredEvents',
  retention: 'until it is acknowledged, 3 days at most',
  fields: {
    _id: text,
    subscription: text,
    since: number,
    key: text,
    events: list(object<DeferredEvent>({ n: number, e: number, d: number, enqueuedAt: number })),
    failures: number,
    at: number,
    oldest: number,
  },
  indexes: [
    { name: 'at', key: { subscription: 1, since: 1, at: 1 } },
    { name: 'oldest', key: { subscription: 1, since: 1, oldest: 1 } },
    { name: 'key', key: { key: 1 } },
  ],
});
