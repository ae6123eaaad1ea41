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
  text,
} from '@tidings/mongo';
import {
  type AttemptDocument,
  type DeferralDocument,
  type ProgressDocument,
  GIVE_UP_MS,
  ATTEMPTS_KEPT_MS,
} from './attempt-documents.ts';
import { FORGET_LEASES_MS } from './worker-lease.ts';

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

export const attemptsModel = defineModel<AttemptDocument>({
  name: 'attempts',
  retention: `${inDays(ATTEMPTS_KEPT_MS)} from the end of the slice; without one ${inDays(GIVE_UP_MS)}`,
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

export const workerLeasesModel = defineModel<PresenceDocument>({
  name: 'workerLeases',
  retention: `${inDays(FORGET_LEASES_MS)} from the end of the lease`,
  fields: presenceFields,
});
