export {
  type ChannelFunnel,
  type ChunkStages,
  type FailedDevices,
  type Funnel,
  funnelOf,
  windowEndOf,
  metricsOf,
  type PlatformMetrics,
} from './funnel.ts';
export { coarser, hourOf, type HourSets, mergeHours, noHours, reportedIn, upToHour } from './hour-sets.ts';
export {
  amended,
  type Attempt,
  type Claim,
  claimed,
  type Claimed,
  deferred,
  dueOf,
  finished,
  meet,
  type Meeting,
  type Progress,
  type Deferral,
  type Deferred,
  settled,
  type Settled,
  takenOver,
  untried,
  withResults,
  woken,
} from './attempt.ts';
export { type ApnsRefusal, apnsRefusal } from './apns-results.ts';
export {
  type BatchColumns,
  bitAt,
  columnsOf,
  hasToken,
  OVERSIZED,
  pickDevices,
  tokenOf,
  unsendable,
} from './columns.ts';
export { fcmRefusal } from './fcm-results.ts';
export {
  type Addressee,
  answered,
  deferredOutcome,
  type DeviceResult,
  merged,
  noResults,
  type Results,
  resultsOf,
  settledOutcome,
} from './results.ts';
export {
  type Failure,
  RETRY_AFTER_MAX_MS,
  RETRY_FOR_MS,
  RETRY_WAITS_MS,
  retryAfterMs,
  retryDeadline,
  retryWaitMs,
  throttleDeadline,
  THROTTLED_FOR_MS,
} from './retries.ts';
export {
  connectionResults,
  type ErrorCategory,
  localResults,
  sent,
  type Then,
  type Throttles,
  unlisted,
  type SendResult,
} from './send-results.ts';
export { type HeldBack, type MessageTimes, type Wait, waitOf } from './waits.ts';
export {
  chunkKey,
  OPEN_DEVICES,
  ranksOf,
  SLICE_SIZE,
  sliceCount,
  sliceId,
  type SliceIdentity,
  SLICES_PER_BATCH,
  WORKER_LEASE_MS,
} from './slices.ts';
