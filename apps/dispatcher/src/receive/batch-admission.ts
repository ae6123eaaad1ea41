import { credentialFault, isCredentialFault, localResults, type SendResult } from '@tidings/channels';
import type { WaitReason } from '@tidings/delivery';
import { type Clock, Fault, steadyTime } from '@tidings/kernel';
import type { Sender } from '../channels/channel-port.ts';
import type { Job } from '../send/sending.ts';
import type { Throttles } from '../throttle/throttles.ts';
import type { Timers } from '../timers.ts';

export type Readiness =
  | { readonly do: 'send'; readonly sender: Sender }
  | { readonly do: 'end'; readonly result: SendResult }
  | { readonly do: 'wait'; readonly reason: WaitReason };

export interface CredentialState {
  readonly reference: string;
  readonly fingerprint: string;
  readonly reachable: boolean;
  readonly lastError: CredentialError | undefined;
}

export interface CredentialError {
  readonly name: string;
  readonly message: string;
  readonly at: number;
}

interface BackOff {
  failures: number;
  /** Steady time of the business clock. */
  until: number;
  cause: SendResult;
  opening: boolean;
  reportedAt: number;
}

export interface AdmissionOptions {
  readonly throttles: Throttles;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly onReady: (credentials: readonly string[]) => void;
  readonly onError: (credential: string, error: unknown) => void;
}

const BACK_OFF_MS = [1_000, 2_000, 4_000, 5_000];
const REPORT_EVERY_MS = 60_000;
const CREDENTIALS_MAX = 10_000;

/** One slice at a time tries an unready credential; others are deferred without slots. */
export class Admission {
  readonly #options: AdmissionOptions;
  readonly #backOffs = new Map<string, BackOff>();
  readonly #fingerprints = new Map<string, string>();
  readonly #lastErrors = new Map<string, CredentialError>();
  readonly #refused = new Set<string>();

  constructor(options: AdmissionOptions) {
    this.#options = options;
    options.throttles.onLifted((fingerprint, references) => {
      const matching = [...this.#fingerprints]
        .filter(([, each]) => each === fingerprint)
        .map(([reference]) => reference);
      options.onReady([...new Set([...matching, ...references])]);
    });
  }

  blockedCredentials(): string[] {
    const now = steadyTime(this.#options.clock);
    return [...this.#backOffs].filter(([, { until }]) => until > now).map(([reference]) => reference);
  }

  states(): CredentialState[] {
    const references = new Set([...this.#fingerprints.keys(), ...this.#lastErrors.keys()]);
    return [...references].map((reference) => ({
      reference,
      fingerprint: this.#fingerprints.get(reference) ?? '',
      reachable: !this.#backOffs.has(reference) && !this.#refused.has(reference),
      lastError: this.#lastErrors.get(reference),
    }));
  }

  forget(application: string): void {
    for (const state of [this.#backOffs, this.#fingerprints, this.#lastErrors, this.#refused]) {
      for (const reference of state.keys()) if (reference.startsWith(`${application}/`)) state.delete(reference);
    }
  }

  needsProbe(credential: string): boolean {
    const fingerprint = this.#fingerprints.get(credential);
    return (
      this.#backOffs.has(credential) || (fingerprint !== undefined && this.#options.throttles.needsProbe(fingerprint))
    );
  }

  async ready(job: Job, timeoutMs: number): Promise<Readiness> {
    const { credential } = job;
    const before = this.#blockedBy(credential);
    if (before) return { do: 'wait', reason: before };
    const backOff = this.#backOffs.get(credential);
    if (backOff) backOff.opening = true;
    let isLate = false;
    const opening = this.#open(job).then(
      (readiness) => {
        if (isLate || this.#backOffs.has(credential)) this.#recovered(credential, isLate);
        return readiness;
      },
      (error: unknown): Readiness => {
        const reason = this.#failed(credential, error);
        return Fault.from(error).kind === 'unavailable' ? { do: 'wait', reason } : { do: 'end', result: reason.cause };
      },
    );
    const { timers } = this.#options;
    return new Promise((resolve) => {
      const cancel = timers.after(timeoutMs, () => {
        isLate = true;
        resolve({ do: 'wait', reason: this.#slow(credential) });
      });
      void opening.then((readiness) => {
        cancel();
        resolve(readiness);
      });
    });
  }

  #blockedBy(credential: string): WaitReason | undefined {
    const backOff = this.#backOffs.get(credential);
    const now = steadyTime(this.#options.clock);
    if (!backOff || (backOff.until <= now && !backOff.opening)) return undefined;
    return this.#blockedFor(Math.max(backOff.until - now, BACK_OFF_MS[0]!), backOff.cause);
  }

  #blockedFor(ms: number, cause: SendResult): Extract<WaitReason, { by: 'provider' }> {
    return { by: 'provider', until: this.#options.clock.now() + ms, cause };
  }

  async #open(job: Job): Promise<Readiness> {
    const sender = await job.sender();
    if ('category' in sender) {
      if (isCredentialFault(sender)) this.#noteRefusal(job.credential, sender);
      return { do: 'end', result: sender };
    }
    if (this.#fingerprints.size >= CREDENTIALS_MAX) this.#fingerprints.clear();
    this.#fingerprints.set(job.credential, sender.credential);
    try {
      const result = await sender.prepare();
      this.#refused.delete(job.credential);
      if (result) this.#noteRefusal(job.credential, result);
      return result ? { do: 'end', result } : { do: 'send', sender };
    } catch (error) {
      throw Fault.from(error).kind === 'unavailable' ? new NotReady(error, sender.failure()) : error;
    }
  }

  #slow(credential: string): WaitReason {
    const now = steadyTime(this.#options.clock);
    const backOff = this.#backOffs.get(credential) ?? {
      failures: 0,
      until: -Infinity,
      reportedAt: -Infinity,
      cause: localResults.unreachable,
      opening: true,
    };
    backOff.opening = true;
    backOff.until = Math.max(backOff.until, now + BACK_OFF_MS[0]!);
    this.#backOffs.set(credential, backOff);
    return this.#blockedFor(backOff.until - now, backOff.cause);
  }

  #failed(credential: string, error: unknown): Extract<WaitReason, { by: 'provider' }> {
    const { clock } = this.#options;
    const now = steadyTime(clock);
    const before = this.#backOffs.get(credential);
    const failures =
      before && before.failures > 0 && before.until > now ? before.failures : (before?.failures ?? 0) + 1;
    const waitMs = BACK_OFF_MS[Math.min(failures, BACK_OFF_MS.length) - 1]!;
    const cause = error instanceof NotReady ? error.result : localResults.internalError;
    const reportedAt = this.#report(credential, error, before?.reportedAt ?? -Infinity);
    this.#backOffs.set(credential, { failures, until: now + waitMs, cause, opening: false, reportedAt });
    this.#refused.delete(credential);
    const { internal, message } = Fault.from(error);
    this.#noteError(credential, cause.name, internal ?? message);
    return this.#blockedFor(waitMs, cause);
  }

  #noteError(credential: string, name: string, message: string): void {
    if (this.#lastErrors.size >= CREDENTIALS_MAX) this.#lastErrors.clear();
    this.#lastErrors.set(credential, { name, message, at: this.#options.clock.now() });
  }

  #noteRefusal(credential: string, { code, name }: SendResult): void {
    if (this.#refused.size >= CREDENTIALS_MAX) this.#refused.clear();
    this.#refused.add(credential);
    this.#noteError(credential, name, credentialFault(name)?.sentence ?? `the credential is refused: ${code} ${name}`);
  }

  #report(credential: string, error: unknown, reportedAt: number): number {
    const now = steadyTime(this.#options.clock);
    if (now - reportedAt < REPORT_EVERY_MS) return reportedAt;
    this.#options.onError(credential, error);
    return now;
  }

  #recovered(credential: string, isLate: boolean): void {
    const had = this.#backOffs.delete(credential);
    if (had || isLate) this.#options.onReady([credential]);
  }
}

class NotReady extends Fault {
  readonly result: SendResult;

  constructor(cause: unknown, result: SendResult) {
    const { internal, message } = Fault.from(cause);
    super('unavailable', 'the provider cannot be reached', { internal: internal ?? message, cause });
    this.result = result;
  }
}
