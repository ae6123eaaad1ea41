import { connectionResults, type SendResult, smtpResult } from '@tidings/channels';
import { type FailedOpening, failedOpening, isFlood } from '@tidings/http2';
import type { Timers } from '../../timers.ts';
import {
  type Login,
  loginRefusalIn,
  type SessionError,
  type SessionListener,
  SmtpSession,
  type Transaction,
} from './smtp-session.ts';

export type Target = ConstructorParameters<typeof SmtpSession>[0];

export interface MailServerOptions {
  readonly target: (failures: number) => Promise<Target>;
  readonly login?: Login | undefined;
  readonly sessions: number;
  readonly hasRoom?: () => boolean;
  readonly timers: Timers;
  readonly onFailure: (failure: FailedOpening) => void;
}

const BACK_OFF_MS = [1_000, 2_000, 4_000, 5_000, 10_000, 20_000, 30_000];
const FULL_MS = 5_000;
const TARGET_MS = 15_000;
/** Servers end idle sessions soon after. */
const IDLE_MS = 20_000;
const MAILS_PER_SESSION = 100;

const noNames = (): SessionError =>
  Object.assign(new Error(`no name server has answered within ${TARGET_MS} ms`), {
    code: 'ETIMEOUT',
    syscall: 'getaddrinfo',
  });

export class MailServer {
  readonly #options: MailServerOptions;
  readonly #sessions = new Set<SmtpSession>();
  readonly #unopened = new Set<SmtpSession>();
  readonly #idle: SmtpSession[] = [];
  #opening = 0;
  #waiting: (() => void)[] = [];
  #failures = 0;
  #offset = 0;
  #downUntil = 0;
  #lastFailure: FailedOpening | undefined;
  #lastError: Error | undefined;
  #refused: SendResult | undefined;
  #idleTimer: (() => void) | undefined;
  #closed = false;

  constructor(options: MailServerOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#sessions.size + this.#opening;
  }

  get isUnused(): boolean {
    return this.size === 0 && this.#waiting.length === 0 && this.#options.timers.now() >= this.#downUntil;
  }

  get isOpen(): boolean {
    return this.#sessions.size > 0;
  }

  get lastError(): Error | undefined {
    return this.#lastError;
  }

  get refused(): SendResult | undefined {
    return this.#refused;
  }

  get failure(): SendResult {
    return this.#refused ?? connectionResults[this.#lastFailure?.cause ?? 'unreachable'];
  }

  /** Sessions double: one by one takes too long to a distant relay. */
  ready(): boolean {
    if (this.#idle.length > 0) return true;
    if (this.#closed || this.#options.timers.now() < this.#downUntil) return false;
    for (let missing = Math.max(1, this.#sessions.size) - this.#opening; missing > 0 && this.#mayOpen(); missing--)
      this.#open();
    return false;
  }

  #mayOpen(): boolean {
    const { sessions, timers, hasRoom } = this.#options;
    if (this.size - this.#slow >= sessions) return false;
    if (hasRoom?.() ?? true) return true;
    if (this.size === 0) this.#downUntil = timers.now() + FULL_MS;
    return false;
  }

  /** Slow sessions are limited, or a server that vanished would stop all mails. */
  get #slow(): number {
    let slow = 0;
    for (const session of this.#sessions) if (session.isSlow) slow++;
    return Math.min(slow, this.#options.sessions);
  }

  send(transaction: Transaction): void {
    this.#idle.pop()!.send(transaction);
  }

  whenReady(run: () => void): void {
    this.#waiting.push(run);
    if (this.#idle.length > 0 || this.size === 0) queueMicrotask(() => this.#wake());
  }

  downUntil(): number {
    if (this.#closed) return Infinity;
    return this.size > 0 ? 0 : this.#downUntil;
  }

  close(): void {
    this.#closed = true;
    this.#idleTimer?.();
    for (const session of [...this.#unopened, ...this.#sessions]) session.destroy();
    this.#wake();
  }

  #open(): void {
    this.#opening++;
    this.#lastError = undefined;
    let isOver = false;
    const end = (proceed: () => void): void => {
      if (isOver) return;
      isOver = true;
      cancel();
      proceed();
    };
    const failed = (error: SessionError): void => {
      this.#opening--;
      this.#failed(error);
    };
    const cancel = this.#options.timers.after(TARGET_MS, () => end(() => failed(noNames())));
    this.#options.target(this.#offset).then(
      (target) => end(() => this.#begin(target)),
      (error: unknown) => end(() => failed(error as SessionError)),
    );
  }

  #begin(target: Target): void {
    if (this.#closed) {
      this.#opening--;
      return;
    }
    let open = false;
    const listener: SessionListener = {
      opened: () => {
        open = true;
        this.#opening--;
        this.#failures = 0;
        this.#downUntil = 0;
        this.#refused = undefined;
        this.#unopened.delete(session);
        this.#sessions.add(session);
        this.#reuse(session);
      },
      idle: () => this.#reuse(session),
      closed: (error) => {
        if (!open) {
          this.#opening--;
          this.#unopened.delete(session);
          if (!this.#closed) this.#failed(error);
          return;
        }
        this.#sessions.delete(session);
        if (this.#sessions.size === 0) this.#offset = 0;
        const at = this.#idle.indexOf(session);
        if (at >= 0) this.#idle.splice(at, 1);
        if (isFlood(error) && !this.#closed) this.#failed(error);
        this.#wake();
      },
    };
    const session = new SmtpSession(target, this.#options.login, listener);
    this.#unopened.add(session);
  }

  #reuse(session: SmtpSession): void {
    if (session.sent >= MAILS_PER_SESSION) {
      session.quit();
      session.destroy();
      return;
    }
    this.#idle.push(session);
    this.#idleTimer ??= this.#options.timers.after(IDLE_MS, () => this.#endIdle());
    this.#wake();
  }

  #endIdle(): void {
    this.#idleTimer = undefined;
    for (const session of this.#idle.splice(0)) {
      session.quit();
      session.destroy();
    }
  }

  #failed(error: SessionError | undefined): void {
    const { timers, onFailure } = this.#options;
    const refusal = error && loginRefusalIn(error);
    this.#refused = refusal && smtpResult('login', refusal.status, refusal.text);
    this.#lastError = error ?? new Error('closed by the server before it took a mail');
    this.#lastFailure = failedOpening(asSystemError(error), timers.now());
    onFailure(this.#lastFailure);
    const wait = BACK_OFF_MS[Math.min(this.#failures++, BACK_OFF_MS.length - 1)]!;
    this.#offset++;
    this.#downUntil = timers.now() + wait * (0.8 + 0.4 * Math.random());
    this.#wake();
  }

  #wake(): void {
    for (const run of this.#waiting.splice(0)) run();
  }
}

function asSystemError(error: SessionError | undefined): Error | undefined {
  const { originalCode } = error ?? {};
  if (!error || originalCode === undefined) return error;
  return Object.assign(new Error(error.message), {
    code: originalCode,
    ...(error.syscall === undefined ? {} : { syscall: error.syscall }),
  });
}
