import {
  bytes,
  date,
  defineModel,
  inDays,
  number,
  object,
  optional,
  type PresenceDocument,
  presenceFields,
  text,
} from '@tidings/mongo';
import type { Binary } from 'mongodb';
import type { DeferredSummary } from './deferred/deferred-store.ts';
import type { FailingPeriod } from './failing-period.ts';
import type { EventPosition } from './unacked.ts';

export const FORGET_OWNERS_MS = 86_400_000;

export interface StreamDocument {
  readonly _id: string;
  readonly owner?: string;
  readonly since: Date;
  readonly next: EventPosition;
  readonly open: Binary | Uint8Array;
  readonly failing?: FailingPeriod;
  readonly deferred?: DeferredSummary;
}

export const streamsModel = defineModel<StreamDocument>({
  name: 'streams',
  retention: 'with the subscription',
  fields: {
    _id: text,
    owner: optional(text),
    since: date,
    next: object<EventPosition>({ n: number, e: number, d: number }),
    open: bytes,
    failing: optional(object<FailingPeriod>({ since: number, last: number })),
    deferred: optional(object<DeferredSummary>({ length: number, oldest: optional(number), dropped: number })),
  },
});

export const ownersModel = defineModel<PresenceDocument>({
  name: 'owners',
  retention: `${inDays(FORGET_OWNERS_MS)} from the end of the lease`,
  fields: presenceFields,
});
