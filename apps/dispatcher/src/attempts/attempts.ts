import type { Attempt, Claim, Claimed, Deferral, Results, Lane } from '@tidings/delivery';

/** The lane and settings of a slice. */
export interface Place {
  readonly lane: Lane;
  /** The settings of its credential: `<application>/<platform>`, '' without any. */
  readonly credential: string;
}

/** A slice that was deferred. */
export interface Deferred {
  readonly id: string;
  readonly credential: string;
  /** Number of its deferred devices. */
  readonly devices: number;
}

/** A deferred slice that nobody has claimed. */
export interface Due extends Deferred {
  /** When it may be claimed again, in milliseconds of the business clock. */
  readonly dueAt: number;
  /** Whether the worker that deferred it may still get answers. */
  readonly awaitsAnswers: boolean;
}

/** A slice that was deferred, and then claimed again or settled. Its outcome is not published yet. */
export interface Unpublished extends Deferred {
  readonly owner: string;
  readonly isSettled: boolean;
}

/**
 * The dispatcher's memory of slices. Every method throws a Fault `unavailable` when the store does not answer. Each change is a compare-and-set by
 * the transitions in libs/delivery.
 */
export interface AttemptStore {
  /** Inserts the attempt; resolves to the existing one, or undefined if this one is inserted. */
  claim(id: string, place: Place, attempt: Attempt & Claim): Promise<Attempt | undefined>;
  /** The attempt of a slice, if there is one. */
  find(id: string): Promise<Attempt | undefined>;
  /** Takes a claim over from a dead owner; undefined if `from` no longer has it. */
  takeOver(id: string, from: string, to: string): Promise<Claimed | undefined>;
  /** Records the results so far of a claimed slice, for a worker that takes it over. False if it has been claimed since. Idempotent. */
  progress(id: string, claim: Claim, results: Results): Promise<boolean>;
  /**
   * Ends a claim with results for every device. A deferral is kept until {@link published}. False if the slice has been claimed since. Idempotent.
   */
  settle(id: string, claim: Claim, results: Results, now: number): Promise<boolean>;
  /** Ends a claim with deferred devices. False if the slice has been claimed since. Idempotent. */
  defer(id: string, claim: Claim, results: Results, deferral: Deferral): Promise<boolean>;
  /** Adds late answers to a deferred slice. False if it has been claimed since. Idempotent. */
  amend(id: string, claim: Claim, results: Results, deferral: Deferral): Promise<boolean>;
  /** Settles a deferred slice after its last late answer, like {@link settle}. */
  finish(id: string, claim: Claim, results: Results, now: number): Promise<boolean>;
  /** Removes the deferral of a settled slice: its outcome is published. */
  published(id: string): Promise<void>;
  /** Deferred slices of a lane that are due by `until`, the longest due first, except slices of these credentials. */
  due(lane: Lane, until: number, limit: number, except: readonly string[]): Promise<readonly Due[]>;
  /**
   * Slices of a lane that were deferred, and then claimed again or settled, and whose outcome is not published; the longest due first. Their worker may
   * have died.
   */
  unpublished(lane: Lane, limit: number): Promise<readonly Unpublished[]>;
  /** Claims a deferred slice that is due; undefined if another worker has claimed it. */
  resume(id: string, owner: string, now: number): Promise<Claimed | undefined>;
  /** Makes slices due that these credentials held back, except those with outstanding answers. */
  hasten(lane: Lane, credentials: readonly string[], now: number): Promise<void>;
  /** Makes one slice due that this credential held back, like {@link hasten}: it tests whether the others can be sent. */
  hastenOne(lane: Lane, credential: string, now: number): Promise<void>;
  /** Makes slices due that are due only after `beyond`: the clock was set back. Those with outstanding answers wait for them once more. */
  dueAgain(lane: Lane, step: StepBack): Promise<void>;
}

/** Times after a clock was set back, in milliseconds since 1970. */
export interface StepBack {
  /** No slice that was deferred since is due later. */
  readonly beyond: number;
  readonly now: number;
  /** The longest wait for answers. */
  readonly answersForMs: number;
}

/** Counts for the barrier. */
export interface AttemptCounts {
  /** Claimed slices, including slices of dead workers. */
  readonly claimed: number;
  /** Deferred slices that are due. */
  readonly due: number;
  /** Slices that were deferred and are settled, and whose outcome is not published, including slices of dead workers. */
  readonly unpublished: number;
}
