import { localResults, type SendResult } from '@tidings/channels';
import type { HeldBack } from '@tidings/delivery';
import { type Clock, Fault } from '@tidings/kernel';
import type { Sender } from '../channels/channel-port.ts';
import type { Job } from '../send/sending.ts';
import type { Throttles } from '../throttle/throttles.ts';
import type { Timers } from '../timers.ts';

/** Whether the slices of a job can be sent now. */
export type Readiness =
  | { readonly do: 'send'; readonly sender: Sender }
  /** Every device ends with this. */
  | { readonly do: 'end'; readonly result: SendResult }
  /** They wait, holding no slots. */
  | { readonly do: 'wait'; readonly why: HeldBack };

/** State of a credential, beside its throttle. */
export interface CredentialState {
  /** `<application>/<platform>` */
  readonly reference: string;
  /** '' where its settings could not be read yet. */
  readonly fingerprint: string;
  /** Whether a token and a connection were to be had when that was last tried. */
  readonly reachable: boolean;
  readonly lastError: CredentialError | undefined;
}

export interface CredentialError {
  /** As in the funnel. */
  readonly name: string;
  readonly message: string;
  /** Milliseconds since 1970 UTC. */
  readonly at: number;
}

interface Trouble {
  /** Tries to get ready that failed in a row. */
  failures: number;
  /** When it is tried again, on the business clock. */
  until: number;
  cause: SendResult;
  opening: boolean;
  /** When it was last told of. */
  toldAt: number;
}

export interface AdmissionOptions {
  readonly throttles: Throttles;
  readonly clock: Clock;
  readonly timers: Timers;
  /** Hears of credentials (`<application>/<platform>`) that can be sent with again: what waits for them may be woken. */
  readonly onReady: (credentials: readonly string[]) => void;
  /** Hears of failures to get ready, once a minute a credential. */
  readonly onError: (credential: string, error: unknown) => void;
}

/** Waits between tries to get a token or a connection; the last one repeats. */
const BACK_OFF_MS = [1_000, 2_000, 4_000, 5_000];
/** A credential that stays in trouble is told of once in so long. */
const TELL_EVERY_MS = 60_000;
/** Fingerprints that are remembered. */
const CREDENTIALS_MAX = 10_000;

/**
 * Decides which credentials may send now. One that has no token, or whose connection is not up, is tried by one slice at a time, with
 * back-off; all others wait in the store and hold no slots (sending 4).
 */
export class Admission {
  readonly #options: AdmissionOptions;
  readonly #troubles = new Map<string, Trouble>();
  /** Fingerprints by `<application>/<platform>`. */
  readonly #fingerprints = new Map<string, string>();
  readonly #lastErrors = new Map<string, CredentialError>();

  constructor(options: AdmissionOptions) {
    this.#options = options;
    options.throttles.onLifted((fingerprint, references) => {
      const known = [...this.#fingerprints].filter(([, each]) => each === fingerprint).map(([reference]) => reference);
      options.onReady([...new Set([...known, ...references])]);
    });
  }

  /** Credentials (`<application>/<platform>`) whose slices need not be woken now. Those behind a throttle are not due, or at their end. */
  heldBack(): string[] {
    const now = this.#options.clock.now();
    return [...this.#troubles].filter(([, { until }]) => until > now).map(([reference]) => reference);
  }

  /** Every credential that was sent with or tried. */
  states(): CredentialState[] {
    const references = new Set([...this.#fingerprints.keys(), ...this.#lastErrors.keys()]);
    return [...references].map((reference) => ({
      reference,
      fingerprint: this.#fingerprints.get(reference) ?? '',
      reachable: !this.#troubles.has(reference),
      lastError: this.#lastErrors.get(reference),
    }));
  }

  /** Whether only one slice may find out now if the credential can be sent with again. */
  wantsOne(credential: string): boolean {
    const fingerprint = this.#fingerprints.get(credential);
    return (
      this.#troubles.has(credential) || (fingerprint !== undefined && this.#options.throttles.wantsProbe(fingerprint))
    );
  }

  /** Gets ready for a job, for `patienceMs` at most; beyond that it goes on without the caller. */
  async ready(job: Job, patienceMs: number): Promise<Readiness> {
    const { credential } = job;
    const before = this.#held(credential);
    if (before) return { do: 'wait', why: before };
    const trouble = this.#troubles.get(credential);
    if (trouble) trouble.opening = true;
    let isLate = false;
    const opening = this.#open(job).then(
      (readiness) => {
        if (isLate || this.#troubles.has(credential)) this.#recovered(credential, isLate);
        return readiness;
      },
      (error: unknown): Readiness => {
        const why = this.#failed(credential, error);
        // A fault of our own is final (R-P3).
        return Fault.from(error).kind === 'unavailable' ? { do: 'wait', why } : { do: 'end', result: why.cause };
      },
    );
    const { timers } = this.#options;
    return new Promise((resolve) => {
      const cancel = timers.after(patienceMs, () => {
        isLate = true;
        resolve({ do: 'wait', why: this.#slow(credential) });
      });
      void opening.then((readiness) => {
        cancel();
        resolve(readiness);
      });
    });
  }

  /** How a credential is held back by earlier failures; undefined = it is not. */
  #held(credential: string): HeldBack | undefined {
    const trouble = this.#troubles.get(credential);
    const now = this.#options.clock.now();
    if (!trouble || (trouble.until <= now && !trouble.opening)) return undefined;
    return { by: 'provider', until: Math.max(trouble.until, now + BACK_OFF_MS[0]!), cause: trouble.cause };
  }

  async #open(job: Job): Promise<Readiness> {
    const sender = await job.sender();
    if ('category' in sender) return { do: 'end', result: sender };
    if (this.#fingerprints.size >= CREDENTIALS_MAX) this.#fingerprints.clear();
    this.#fingerprints.set(job.credential, sender.credential);
    try {
      const result = await sender.prepare();
      return result ? { do: 'end', result } : { do: 'send', sender };
    } catch (error) {
      throw Fault.from(error).kind === 'unavailable' ? new NotReady(error, sender.trouble()) : error;
    }
  }

  /** Somebody has begun to open it, and is not done. */
  #slow(credential: string): HeldBack {
    const now = this.#options.clock.now();
    const trouble = this.#troubles.get(credential) ?? {
      ...{ failures: 0, until: 0, toldAt: -Infinity },
      ...{ cause: localResults.unreachable, opening: true },
    };
    trouble.opening = true;
    trouble.until = Math.max(trouble.until, now + BACK_OFF_MS[0]!);
    this.#troubles.set(credential, trouble);
    return { by: 'provider', until: trouble.until, cause: trouble.cause };
  }

  #failed(credential: string, error: unknown): Extract<HeldBack, { by: 'provider' }> {
    const now = this.#options.clock.now();
    const before = this.#troubles.get(credential);
    // Slices that arrived together found out together.
    const failures =
      before && before.failures > 0 && before.until > now ? before.failures : (before?.failures ?? 0) + 1;
    const until = now + BACK_OFF_MS[Math.min(failures, BACK_OFF_MS.length) - 1]!;
    const cause = error instanceof NotReady ? error.result : localResults.internalError;
    const toldAt = this.#tell(credential, error, before?.toldAt ?? -Infinity);
    this.#troubles.set(credential, { failures, until, cause, opening: false, toldAt });
    if (this.#lastErrors.size >= CREDENTIALS_MAX) this.#lastErrors.clear();
    const { internal, message } = Fault.from(error);
    this.#lastErrors.set(credential, { name: cause.name, message: internal ?? message, at: now });
    return { by: 'provider', until, cause };
  }

  /** Tells of it unless that was done lately; answers when it was told of. */
  #tell(credential: string, error: unknown, toldAt: number): number {
    const now = this.#options.clock.now();
    if (now - toldAt < TELL_EVERY_MS) return toldAt;
    this.#options.onError(credential, error);
    return now;
  }

  #recovered(credential: string, wake: boolean): void {
    const had = this.#troubles.delete(credential);
    if (had || wake) this.#options.onReady([credential]);
  }
}

/** A credential that cannot be sent with now, and what devices end with that wait for it too long. */
class NotReady extends Fault {
  readonly result: SendResult;

  constructor(cause: unknown, result: SendResult) {
    const { internal, message } = Fault.from(cause);
    super('unavailable', 'the provider cannot be reached', { internal: internal ?? message, cause });
    this.result = result;
  }
}
