import { defineStates } from '@tidings/event-store';
import { HIDDEN_KEPT_MS, KEPT_MS } from '@tidings/messaging';
import {
  bytes,
  date,
  defineModel,
  flag,
  inDays,
  list,
  mixed,
  type ModelDefinition,
  number,
  object,
  optional,
  record,
  text,
} from '@tidings/mongo';
import { COUNTED_KEPT_MS, COUNTED_PAGES, type CountedPageDocument, type StoredSends } from '../plan/counted-pages.ts';
import { BADGE_BLOCKS, type BadgeBlockDocument } from '../plan/badge-blocks.ts';
import { FANOUTS, type FanoutState } from '../plan/split-state.ts';
import { PLANNED_DEVICES, type PlannedDevicesDocument } from '../plan/planned-devices.ts';
import { type InboxPlace, type PlanDocument, planIndexes, PLANS, type SliceCount } from '../plan/plans.ts';
import { LATE_MS, OUTGOING, type OutgoingDocument, type RemovedDocument } from '../release/outgoing-message.ts';
import { SLICE_STATUSES, type SliceStatusesDocument } from '../settle/slice-statuses.ts';

const withTheMessage = `with the message; documents of late facts ${inDays(LATE_MS)} longer`;

/** Messages on their way, and what is left of removed ones: read and written with each of their facts, and so native. */
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

export const fanoutsModel = defineStates<FanoutState>({
  name: FANOUTS,
  retention: withTheMessage,
  fields: { chunks: list(number), at: date },
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
      object<InboxPlace>({ app: text, chunk: optional(number), seqs: optional(list(number)), until: date }),
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

/** The sends that count for frequency capping, by chunk and day: 32 documents a chunk. */
export const countedPagesModel = defineStates<CountedPageDocument>({
  name: COUNTED_PAGES,
  retention: inDays(COUNTED_KEPT_MS),
  fields: {
    day: number,
    sends: list(object<StoredSends>({ from: number, to: number, digits: list(bytes) })),
  },
  indexes: [{ name: 'day', key: { day: 1 } }],
});

/** The badges that plans have allotted, for 128 devices each: two writes for each message with badges to one device. */
export const badgeBlocksModel = defineStates<BadgeBlockDocument>({
  name: BADGE_BLOCKS,
  retention: 'with the application',
  fields: { rows: bytes },
});

/** The devices of all plans of a chunk, for messages with a local time. */
export const plannedDevicesModel = defineStates<PlannedDevicesDocument>({
  name: PLANNED_DEVICES,
  retention: withTheMessage,
  fields: { devices: bytes },
});

/** The statuses of slices: several writes for each slice, and so native. Transactions need the collection. */
export const sliceStatusesModel = defineModel<SliceStatusesDocument>({
  name: SLICE_STATUSES,
  retention: withTheMessage,
  fields: {
    _id: text,
    emitted: optional(record(mixed)),
    deferred: optional(record(number)),
    settled: optional(record(number)),
  },
});

/** The collections of the fan-out. */
export const fanoutModels: readonly ModelDefinition[] = [
  outgoingModel,
  plansModel,
  countedPagesModel,
  badgeBlocksModel,
  plannedDevicesModel,
  fanoutsModel,
  sliceStatusesModel,
];
