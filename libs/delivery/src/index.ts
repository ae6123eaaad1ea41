export {
  conversionRate,
  conversionsOf,
  type Credit,
  creditsOf,
  type DeviceAction,
  type MessageOpen,
} from './conversions.ts';
export {
  type ChunkStages,
  type FailedDevices,
  type Funnel,
  type MailMetrics,
  type PlatformMetrics,
} from './figures.ts';
export { funnelOf, metricsOf, windowEndOf } from './funnel.ts';
export {
  coarser,
  hourOf,
  type HourSets,
  hoursOfSecond,
  hoursWithout,
  isBySecond,
  mergeHours,
  noHours,
  upToHour,
} from './hour-sets.ts';
export {
  bounceCategories,
  bounceCategoryOf,
  type Bounces,
  firstBounces,
  type MailStages,
  mergeBounces,
} from './mail-stages.ts';
export { mailReportRecord, type MailRecipient, type MailReport, noMailColumns } from './mail-reports.ts';
export { type DeviceOutcome, deviceOutcomeOf } from './device-outcome.ts';
export { type HourTotals, intervalTotalsOf } from './interval-totals.ts';
export {
  amended,
  type Attempt,
  type Claim,
  claimed,
  type Claimed,
  deferred,
  dueAgain,
  dueOf,
  finished,
  progressed,
  published,
  resolveClaim,
  type Progress,
  type Deferral,
  type Deferred,
  settled,
  type Settled,
  takenOver,
  untried,
  withResults,
  resumed,
} from './protocol/attempt.ts';
export {
  type BatchColumns,
  bitAt,
  columnOf,
  columnsOf,
  hasToken,
  OVERSIZED,
  pickDevices,
  SUPPRESSED,
  type SuppressedSince,
  tokenOf,
  resultBeforeSending,
  valueOf,
  withSuppressed,
} from './batch-columns.ts';
export {
  type Addressee,
  answered,
  deferredOutcome,
  type DeviceResult,
  merged,
  noResults,
  type Results,
  resultsOf,
  resultsIn,
  settledOutcome,
  withoutTokens,
} from './batch-results.ts';
export {
  type Failure,
  RETRY_AFTER_MAX_MS,
  retryAfterMs,
  retryDeadline,
  longestWaitMs,
  retryWaitMs,
  usualRetries,
} from './protocol/retries.ts';
export { type WaitReason, type MessageTimes, type Wait, waitOf } from './protocol/waits.ts';
export {
  type ChunkKey,
  chunkKeyOf,
  chunkRecordKey,
  fanoutId,
  idsBelow,
  messageApplicationKey,
  messageChunkKey,
  planId,
} from './protocol/record-keys.ts';
export { emittedUntilWith, type PacedLimits, pacedLimits, pacedSlices } from './protocol/pacing.ts';
export { dispatcherGroup, fanoutGroups, type Lane, lanes, STOPS_GROUP } from './protocol/lanes.ts';
export {
  allotBadges,
  badgeBlockOf,
  badgeBlocksOf,
  type BadgeCandidates,
  badgeOf,
  type BadgeRow,
  type BadgeRows,
  decodeBadges,
  encodeBadges,
  positionsIn,
  shownBadges,
  withAllotted,
  withSettledBadges,
} from './protocol/badges.ts';
export {
  CAPPING_DAYS_MAX,
  cappingDays,
  type CountedPage,
  dayOf,
  devicesAtCap,
  emptyPage,
  firstDayNeeded,
  type FrequencyCap,
  withoutSends,
  withSends,
} from './protocol/frequency-cap.ts';
export { withDeployment } from './protocol/deployment-platforms.ts';
export {
  type Candidates,
  type Suppressed,
  type Suppression,
  devicesOf,
  planChunk,
  type PlanRules,
  type SendingApplication,
} from './protocol/plan-chunk.ts';
export {
  dueSlices,
  type Emission,
  isSettled,
  type OpenSlice,
  openSliceOf,
  openSlices,
  settledBit,
  type SliceState,
  sliceState,
  type SliceStatuses,
  type StatusChange,
  statusChange,
} from './protocol/slice-status.ts';
export {
  positionsOfSlice,
  RATED_SLICE_SIZE,
  type RecipientSetKey,
  recipientSetId,
  SLICE_SIZE,
  sliceCount,
  sliceId,
  messageIn,
  type SliceIdentity,
  sliceSizeOf,
  SLICES_PER_BATCH,
} from './protocol/slices.ts';
export {
  CUTOFF_MS,
  DEADLINE_MS,
  LATE_ANSWER_MS,
  OPEN_DEVICES,
  READY_MS,
  SILENCE_MS,
  SLOTS_MS,
  WORKER_LEASE_MS,
  WORKER_MARGIN_MS,
  WORKER_RENEW_MS,
} from './protocol/protocol-times.ts';
