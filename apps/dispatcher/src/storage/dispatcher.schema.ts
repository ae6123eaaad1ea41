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
  type PresenceDocument,
  presenceFields,
  record,
  text,
} from '@tidings/mongo';
import type { AttemptDocument, DeferralDocument, ProgressDocument } from '../claim/attempt-documents.ts';
import { type PaceDocument, PACES_KEPT_MS } from '../pace/mongo-paces.ts';
import type { ThrottleDocument } from '../throttle/throttles.ts';
import type { SmsPartDocument, SmsProgressDocument, SmsReceiptDocument } from '../channels/sms/sms-receipts.ts';
import type { ErasedDocument, KeptApplicationDocument, SentValuesDocument } from '../sent/sent-values-documents.ts';
import { FORGET_LEASES_MS, GIVE_UP_MS, KEEP_VALUES_MS, KEPT_RECEIPTS_MS, REMEMBER_MS } from './retention.ts';

const progress = object<ProgressDocument>({
  tries: number,
  firstTriedAt: optional(date),
  dueAt: date,
  refreshed: flag,
  outcomeUnknown: optional(flag),
  last: optional(
    object<NonNullable<ProgressDocument['last']>>({ category: text, code: text, name: text, bounce: optional(text) }),
  ),
  devices: bytes,
});

/** Attempts to send slices: two writes for each, and so native. */
export const attemptsModel = defineModel<AttemptDocument>({
  name: 'attempts',
  retention: `${inDays(REMEMBER_MS)} from the end of the slice; without one ${inDays(GIVE_UP_MS)}`,
  fields: {
    _id: text,
    channel: text,
    lane: oneOf('broadcast', 'direct'),
    credential: text,
    state: oneOf('claimed', 'deferred', 'settled'),
    owner: text,
    round: number,
    claimedAt: date,
    results: bytes,
    progress: optional(object<NonNullable<AttemptDocument['progress']>>({ round: number, results: bytes })),
    deferral: optional(
      object<DeferralDocument>({
        batch: bytes,
        devices: number,
        progress: list(progress),
        heldUntil: optional(date),
        answersUntil: optional(date),
        dueSince: optional(date),
      }),
    ),
    dueAt: optional(date),
    resumedAt: optional(date),
    settledAt: optional(date),
  },
  indexes: [
    { name: 'due', key: { channel: 1, state: 1, lane: 1, dueAt: 1, credential: 1 } },
    { name: 'settled', key: { settledAt: 1 }, sparse: true },
  ],
});

/** The leases of workers. They are read and written natively, because every resolution of a claim reads them. */
export const workerLeasesModel = defineModel<PresenceDocument>({
  name: 'workerLeases',
  retention: `${inDays(FORGET_LEASES_MS)} from the end of the lease`,
  fields: presenceFields,
});

/** The reserved time of messages with a send rate: up to ten writes a second each, and so native. */
export const pacesModel = defineModel<PaceDocument>({
  name: 'paces',
  retention: `${inDays(PACES_KEPT_MS)} from the last push`,
  fields: { _id: text, until: number },
  indexes: [{ name: 'until', key: { until: 1 } }],
});

/** Credentials that their provider throttles. */
export const throttlesModel = defineModel<ThrottleDocument>({
  name: 'throttles',
  retention: 'until the provider is sent to again, an operator lifts it, or a day has passed since its end',
  fields: {
    _id: text,
    channel: text,
    blockedUntil: date,
    probedUntil: optional(date),
    cause: text,
    versions: record(number),
  },
});

const expiring = { name: 'expireAt', key: { expireAt: 1 }, expireAfterSeconds: 0 } as const;

/** Parts of SMS that SMSCs have accepted: a write for each, and so native. */
export const smsPartsModel = defineModel<SmsPartDocument>({
  name: 'smsParts',
  retention: inDays(KEPT_RECEIPTS_MS),
  fields: {
    _id: text,
    message: text,
    messageId: number,
    account: text,
    application: text,
    seq: number,
    platform: number,
    device: optional(text),
    parts: number,
    delivered: optional(flag),
    expireAt: date,
  },
  indexes: [
    expiring,
    { name: 'device', key: { device: 1 }, partialFilterExpression: { device: { $exists: true } } },
    { name: 'application', key: { application: 1 } },
  ],
});

/** Receipts of SMS whose parts are not stored yet. */
export const smsReceiptsModel = defineModel<SmsReceiptDocument>({
  name: 'smsReceipts',
  retention: `until its part is stored; without one ${inDays(KEPT_RECEIPTS_MS)}`,
  fields: { _id: text, delivered: flag, at: date, expireAt: date },
  indexes: [expiring],
});

/** SMS with some accepted parts, whose other parts wait. */
export const smsProgressModel = defineModel<SmsProgressDocument>({
  name: 'smsProgress',
  retention: inDays(KEPT_RECEIPTS_MS),
  fields: { _id: text, accepted: number, expireAt: date },
  indexes: [expiring],
});

/** Applications whose sent values are kept, because a subscription gets them in its events. */
export const keptApplicationsModel = defineModel<KeptApplicationDocument>({
  name: 'keptApplications',
  retention: `${inDays(KEEP_VALUES_MS)} after it was last asked for`,
  fields: { _id: text, expireAt: date },
  indexes: [expiring],
});

/** The values that pushes were rendered from, for kept applications. They are written natively, since each slice has a write. */
export const sentValuesModel = defineModel<SentValuesDocument>({
  name: 'sentValues',
  retention: `${inDays(KEEP_VALUES_MS)}, and until a device is erased`,
  fields: {
    _id: text,
    application: text,
    chunk: number,
    first: number,
    last: number,
    rounds: record(bytes),
    expireAt: date,
  },
  indexes: [expiring, { name: 'chunk', key: { application: 1, chunk: 1 } }],
});

/** Erased devices of kept applications, by number: slices in flight may still have values of them. */
export const erasedDevicesModel = defineModel<ErasedDocument>({
  name: 'erasedDevices',
  retention: inDays(GIVE_UP_MS),
  fields: { _id: text, application: text, chunk: number, position: number, expireAt: date },
  indexes: [expiring, { name: 'chunk', key: { application: 1, chunk: 1 } }],
});
