import type { Attempt, Claim, Claimed, Deferral, Results, Lane } from '@tidings/delivery';

export interface SliceSettings {
  readonly lane: Lane;
  /** `<application>/<platform>`, '' without any. */
  readonly credential: string;
}

export interface Deferred {
  readonly id: string;
  readonly credential: string;
  readonly devices: number;
}

export interface Due extends Deferred {
  readonly dueAt: number;
  readonly awaitsAnswers: boolean;
}

export interface Unpublished extends Deferred {
  readonly owner: string;
  readonly isSettled: boolean;
}

/** Changes are idempotent, and false if the slice was claimed since. @throws Fault `unavailable` */
export interface AttemptStore {
  /** Resolves to the existing attempt, undefined if this one was inserted. */
  claim(id: string, settings: SliceSettings, attempt: Attempt & Claim): Promise<Attempt | undefined>;
  find(id: string): Promise<Attempt | undefined>;
  takeOver(id: string, from: string, to: string): Promise<Claimed | undefined>;
  progress(id: string, claim: Claim, results: Results): Promise<boolean>;
  settle(id: string, claim: Claim, results: Results, now: number): Promise<boolean>;
  defer(id: string, claim: Claim, results: Results, deferral: Deferral): Promise<boolean>;
  amend(id: string, claim: Claim, results: Results, deferral: Deferral): Promise<boolean>;
  finish(id: string, claim: Claim, results: Results, now: number): Promise<boolean>;
  published(id: string): Promise<void>;
  due(lane: Lane, until: number, limit: number, except: readonly string[]): Promise<readonly Due[]>;
  unpublished(lane: Lane, limit: number): Promise<readonly Unpublished[]>;
  resume(id: string, owner: string, now: number): Promise<Claimed | undefined>;
  makeDue(lane: Lane, credentials: readonly string[], now: number): Promise<void>;
  makeOneDue(lane: Lane, credential: string, now: number): Promise<void>;
  dueAgain(lane: Lane, step: ClockStepBack): Promise<void>;
}

export interface ClockStepBack {
  readonly beyond: number;
  readonly now: number;
  readonly answersForMs: number;
}

export interface AttemptCounts {
  readonly claimed: number;
  readonly due: number;
  readonly unpublished: number;
}
