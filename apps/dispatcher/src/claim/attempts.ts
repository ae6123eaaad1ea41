import type { Attempt, Claim, Claimed, Deferral, Results, Lane } from '@tidings/delivery';

/** Where a slice belongs. */
export interface Place {
  readonly lane: Lane;
  /** Which settings it is sent with: `<application>/<platform>`, '' where there are none. */
  readonly credential: string;
}

/** A slice that waits and is due. */
export interface Due {
  readonly id: string;
  readonly credential: string;
  /** Devices that wait in it. */
  readonly devices: number;
}

/** A slice that waited and was claimed again. */
export interface Resumed extends Due {
  readonly owner: string;
}

/** The dispatcher's memory of slices. All throw a Fault `unavailable` when the store does not answer. Each change is a compare-and-set; see the transitions in libs/delivery. */
export interface AttemptStore {
  /** Inserts the attempt; resolves to the one that was there before, or undefined where this one is in. */
  claim(id: string, place: Place, attempt: Attempt & Claim): Promise<Attempt | undefined>;
  /** Takes a claim from a dead owner; undefined where it is not `from`'s any more. */
  takeOver(id: string, from: string, to: string): Promise<Claimed | undefined>;
  /** Ends a claim: every device is answered. False where the slice has been claimed since. May be repeated. */
  settle(id: string, claim: Claim, results: Results, now: number): Promise<boolean>;
  /** Ends a claim: some devices wait. False where the slice has been claimed since. May be repeated. */
  defer(id: string, claim: Claim, results: Results, deferral: Deferral): Promise<boolean>;
  /** Adds late answers to a deferred slice. False where it has been claimed since. May be repeated. */
  amend(id: string, claim: Claim, results: Results, deferral: Deferral): Promise<boolean>;
  /** Settles a deferred slice: its last late answer is in. False where it has been claimed since. May be repeated. */
  finish(id: string, claim: Claim, results: Results, now: number): Promise<boolean>;
  /** Slices of a lane that wait and are due, the longest due first, but none of these credentials. */
  due(lane: Lane, now: number, limit: number, except: readonly string[]): Promise<readonly Due[]>;
  /** Slices of a lane that waited and are claimed now, the longest due first. Their worker may have died. */
  resumed(lane: Lane, limit: number): Promise<readonly Resumed[]>;
  /** Claims a slice that waits and is due; undefined where somebody else has. */
  wake(id: string, owner: string, now: number): Promise<Claimed | undefined>;
  /** Makes slices due that these credentials held back, but for those whose answers still come. */
  hasten(lane: Lane, credentials: readonly string[], now: number): Promise<void>;
  /** Makes one slice due that this credential held back, as {@link hasten} does: it finds out whether the others may go. */
  hastenOne(lane: Lane, credential: string, now: number): Promise<void>;
}

/** What the store can tell about itself. */
export interface AttemptCounts {
  /** Slices that somebody sends now, or did when he died. */
  readonly claimed: number;
  /** Slices that wait and are due. */
  readonly due: number;
}
