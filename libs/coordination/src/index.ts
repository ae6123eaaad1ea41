export { batcher, type Batcher, type BatcherOptions } from './batcher.ts';
export { every, type EveryOptions, type Periodic } from './every.ts';
export { inTurn } from './in-turn.ts';
export { beginOwner, endOwner, hasOwnerEnded, type LeaseOwner } from './lease-owner.ts';
export { hasEnded, isThisProcess, ownIdentity, type ProcessIdentity } from './process-identity.ts';
export { isAlive, isProcessOf, killNow } from './processes.ts';
export { Semaphore } from './semaphore.ts';
export { stopwatch } from './stopwatch.ts';
export { untilThere, type WaitingOptions } from './until-there.ts';
