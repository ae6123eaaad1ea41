import { defineModel, list, number, object, text } from '@tidings/mongo';
import type { DeferredEvent } from './deferred-store.ts';

export interface DeferredDocument {
  readonly _id: string;
  readonly subscription: string;
  readonly since: number;
  readonly key: string;
  readonly events: readonly DeferredEvent[];
  readonly failures: number;
  readonly at: number;
  readonly oldest: number;
}

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
