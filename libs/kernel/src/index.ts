export { Fault, type FaultKind } from './fault.ts';
export { Refusal } from './refusal.ts';
export { TOKEN_BYTES } from './limits.ts';
export { type Clock, setForwardMs, ShiftedClock, steadyTime, trustedTime, systemClock } from './clock.ts';
export { clockSteps, CLOCKS_AGREE_MS, isDue } from './due.ts';
export { ForwardSteps } from './forward-steps.ts';
export { parseDate } from './date.ts';
export {
  bucketOf,
  fromBase62,
  messageLogOf,
  newCode,
  newMessageCode,
  createdAtOf,
  numberIds,
  REPLICAS,
  type ReplicaNumber,
  randomBase62,
  sendIdOf,
  toBase62,
} from './ids.ts';
export { CHUNK_SIZE, chunkOf, positionOf, type Seq, seqOf, seqRangeOf, TEST_CHUNK } from './seq.ts';
export { Bitmap } from './bitmap.ts';
export { PositionCounts } from './position-counts.ts';
export {
  addressKindOf,
  type Channel,
  channels,
  hwidOn,
  isPlatform,
  platformCodes,
  isPushPlatform,
  isRegistrable,
  Platform,
  type PlatformCode,
  pushPlatforms,
} from './platforms.ts';
export { exactInteger, jsonInteger } from './integers.ts';
export { isWhatsAppHwid, phoneNumberOf, whatsAppHwidOf } from './phone.ts';
export { RecentEntries } from './recent-entries.ts';
export { setMember } from './set-member.ts';
export { SizedEntries } from './sized-entries.ts';
export { defaultQuotas, quotaReached, type Quotas } from './quotas.ts';
export { withoutTrailingSlashes } from './trailing-slashes.ts';
