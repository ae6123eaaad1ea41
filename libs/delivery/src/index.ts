export {
  type ChannelFunnel,
  type ChunkStages,
  type FailedDevices,
  type Funnel,
  funnelOf,
  metricsOf,
  type PlatformMetrics,
} from './funnel.ts';
export { hourOf, type HourSets, mergeHours, noHours, upToHour } from './hour-sets.ts';
export {
  type Attempt,
  claimed,
  type Claimed,
  deferred,
  dueOf,
  meet,
  type Meeting,
  type Progress,
  type Rest,
  type Resting,
  settled,
  type Settled,
  takenOver,
  withResults,
  woken,
} from './attempt.ts';
export { type ApnsRefusal, apnsRefusal } from './apns-verdicts.ts';
export { type BatchColumns, bitAt, columnsOf, hasToken, pickDevices, tokenOf } from './columns.ts';
export { fcmRefusal } from './fcm-verdicts.ts';
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
export { type Failure, RETRY_FOR_MS, RETRY_WAITS_MS, retryAfterMs, retryDeadline, retryWaitMs } from './retries.ts';
export { type ErrorCategory, localVerdicts, sent, type Then, type Verdict } from './verdicts.ts';
export {
  chunkKey,
  OPEN_WINDOWS,
  ranksOf,
  WINDOW_SIZE,
  windowCount,
  windowId,
  type WindowIdentity,
  WINDOWS_PER_BATCH,
} from './windows.ts';
