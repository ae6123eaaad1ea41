import { defineStates } from '@tidings/event-store';
import {
  bytes,
  date,
  defineModel,
  flag,
  inDays,
  list,
  number,
  object,
  oneOf,
  optional,
  record,
  text,
} from '@tidings/mongo';
import { HIDDEN_KEPT_MS, KEPT_MS, type Transaction, type WaitingMessage } from '@tidings/messaging';
import type { ActivityDocument } from '../activity-document.ts';
import type { MessageDocument, StepsDocument } from '../message-document.ts';
import { ACTIVITIES, JOINS, LINKS, MESSAGES, PROGRESS, type ShortLink, TRANSACTIONS } from '../message-log.ts';
import type { FanoutDocument, ProgressDocument } from '../message-progress.ts';
import { JOINS_KEPT_MS, TRANSACTIONS_KEPT_MS } from './retention.ts';

export const SCHEDULED = 'scheduled';

export const STEPS = 'steps';

export const UNFINISHED = 'unfinished';

export const OPEN = 'open';

/** No index contains callers' text. */
export const messagesModel = defineStates<MessageDocument>({
  name: MESSAGES,
  retention: `${inDays(KEPT_MS)} from the send date, hidden ones ${inDays(HIDDEN_KEPT_MS)}`,
  fields: {
    id: number,
    account: text,
    apps: list(text),
    createdAt: date,
    expireAt: date,
    status: oneOf('PENDING', 'PROCESSING', 'DONE', 'FAIL', 'CANCELED'),
    sendAt: optional(date),
    stepAt: optional(date),
    steps: optional(object<StepsDocument>({ count: number, until: optional(date), areComplete: flag })),
    releasedAt: optional(date),
    completedAt: optional(date),
    failedAt: optional(date),
    canceledAt: optional(date),
    purgedAt: optional(date),
    stoppedAt: optional(date),
    platforms: list(number),
    source: text,
    campaignId: number,
    listed: flag,
    hidden: flag,
    accepted: bytes,
    activity: optional(text),
    openUntil: optional(date),
    joined: optional(number),
  },
  indexes: [
    { name: 'list', key: { account: 1, apps: 1, createdAt: -1, id: -1 } },
    { name: 'ids', key: { id: 1 } },
    { name: 'expireAt', key: { expireAt: 1 } },
    { name: SCHEDULED, key: { sendAt: 1 }, partialFilterExpression: { status: 'PENDING' } },
    { name: STEPS, key: { stepAt: 1 }, partialFilterExpression: { stepAt: { $exists: true } } },
    { name: UNFINISHED, key: { releasedAt: 1 }, partialFilterExpression: { status: 'PROCESSING' } },
    {
      name: OPEN,
      key: { openUntil: 1 },
      partialFilterExpression: { status: 'PROCESSING', openUntil: { $exists: true } },
    },
  ],
});

export const linksModel = defineStates<ShortLink>({
  name: LINKS,
  retention: `${inDays(KEPT_MS)} from the send date`,
  fields: { url: text, at: date, message: text },
  indexes: [
    { name: 'at_1', key: { at: 1 } },
    { name: 'message', key: { message: 1 } },
  ],
});

export const transactionsModel = defineStates<Transaction>({
  name: TRANSACTIONS,
  retention: inDays(TRANSACTIONS_KEPT_MS),
  fields: { code: text, answer: text, at: date },
  indexes: [{ name: 'at_1', key: { at: 1 } }],
});

export const joinsModel = defineStates<{ readonly at: Date }>({
  name: JOINS,
  retention: inDays(JOINS_KEPT_MS),
  fields: { at: date },
  indexes: [{ name: 'at_1', key: { at: 1 } }],
});

export const activitiesModel = defineStates<ActivityDocument>({
  name: ACTIVITIES,
  retention: `${inDays(KEPT_MS)} from the last message`,
  fields: {
    app: text,
    status: oneOf('open', 'closed'),
    startedAt: optional(date),
    at: date,
    timestamp: number,
    sending: optional(text),
    waiting: list(object<WaitingMessage>({ code: text, id: number, event: number, timestamp: number })),
  },
  indexes: [
    { name: 'at_1', key: { at: 1 } },
    { name: 'app_1', key: { app: 1 } },
  ],
});

export const progressModel = defineModel<ProgressDocument & { readonly _id: string; readonly rev: number }>({
  name: PROGRESS,
  retention: 'until the message is done',
  fields: {
    _id: text,
    rev: number,
    fanouts: record(object<FanoutDocument>({ planned: optional(bytes), settled: bytes })),
  },
});
