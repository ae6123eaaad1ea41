import { defineStates } from '@tidings/event-store';
import { HIDDEN_KEPT_MS, KEPT_MS } from '@tidings/messaging';
import { bytes, date, defineModel, flag, inDays, list, number, object, optional, record, text } from '@tidings/mongo';
import { LATE_MS, type OutgoingDocument, type RemovedDocument } from '../plans/outgoing-document.ts';
import { OUTGOING, planIndexes, PLANS } from '../plans/plan-collections.ts';
import type { InboxScope, PlanDocument, SliceCount } from '../plans/plan-document.ts';

export const withTheMessage = `with the message; documents of late facts ${inDays(LATE_MS)} longer`;

export const outgoingModel = defineModel<
  Pick<OutgoingDocument, '_id'> & Partial<Omit<OutgoingDocument, '_id'>> & Partial<RemovedDocument>
>({
  name: OUTGOING,
  retention: `${inDays(KEPT_MS)} from the send date, hidden messages ${inDays(HIDDEN_KEPT_MS)}`,
  fields: {
    _id: text,
    id: optional(number),
    account: optional(text),
    accepted: optional(bytes),
    step: optional(bytes),
    acceptedAt: optional(date),
    releasedAt: optional(date),
    order: optional(number),
    lookups: optional(record(list(number))),
    checkAt: optional(date),
    paced: optional(flag),
    stopped: optional(flag),
    expireAt: optional(date),
    removeAt: optional(date),
  },
  indexes: [
    { name: 'checkAt', key: { checkAt: 1 }, sparse: true },
    {
      name: 'paced',
      key: { paced: 1 },
      partialFilterExpression: { paced: { $exists: true }, releasedAt: { $exists: true } },
    },
    {
      name: 'pacedByAccount',
      key: { account: 1, releasedAt: 1 },
      partialFilterExpression: { paced: { $exists: true }, releasedAt: { $exists: true } },
    },
    { name: 'expireAt', key: { expireAt: 1 } },
    { name: 'removeAt', key: { removeAt: 1 }, sparse: true },
    { name: 'order', key: { order: 1 }, sparse: true },
  ],
});

export const plansModel = defineStates<PlanDocument>({
  name: PLANS,
  retention: withTheMessage,
  fields: {
    event: bytes,
    slices: list(object<SliceCount>({ platform: number, variant: text, count: number })),
    named: flag,
    at: date,
    settledAt: optional(date),
    inbox: optional(
      object<InboxScope>({ app: text, chunk: optional(number), seqs: optional(list(number)), until: date }),
    ),
    counted: optional(flag),
    failed: optional(bytes),
    badged: optional(bytes),
    badges: optional(bytes),
    returned: optional(bytes),
  },
  indexes: [
    {
      name: planIndexes.inboxChunk,
      key: { 'inbox.app': 1, 'inbox.chunk': 1, at: 1 },
      partialFilterExpression: { 'inbox.chunk': { $exists: true } },
    },
    {
      name: planIndexes.inboxSeqs,
      key: { 'inbox.app': 1, 'inbox.seqs': 1 },
      partialFilterExpression: { 'inbox.seqs': { $exists: true } },
    },
  ],
});
