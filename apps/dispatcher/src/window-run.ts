import {
  type BatchColumns,
  bitAt,
  type DeviceResult,
  hasToken,
  localVerdicts,
  type Progress,
  RETRY_FOR_MS,
  retryDeadline,
  retryWaitMs,
  tokenOf,
  type Verdict,
} from '@tidings/delivery';
import type { SendBatch } from '@tidings/events';
import { type Clock, Fault } from '@tidings/kernel';
import type { AnswerDetail, PushListener, Sender } from './channels/port.ts';
import type { Gates } from './gates.ts';
import type { Incarnation } from './owners.ts';
import type { Timers } from './timers.ts';

/** A device of the window that has no result yet. */
export interface Pending {
  /** Index in the batch's columns. */
  readonly device: number;
  readonly progress: Progress;
}

/** How the sending of a window ended: the worker lost its lease, or every device has a result or something to wait for. */
export type RunEnd =
  | { readonly lost: true }
  | { readonly lost: false; readonly results: readonly DeviceResult[]; readonly waiting: readonly Pending[] };

export interface RunParts {
  readonly batch: SendBatch;
  readonly columns: BatchColumns;
  readonly pending: readonly Pending[];
  readonly sender: Sender;
  readonly incarnation: Incarnation;
  readonly gates: Gates;
  /** When the window was first claimed. */
  readonly claimedAt: number;
  /** When the last push is written, and when the last answer is waited for, on the timers' clock. */
  readonly cutoff: number;
  readonly deadline: number;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly random: () => number;
  /** Hears of the first fault of our own. */
  readonly onFault: (error: unknown) => void;
  /** Hears how long the provider took to answer the first push. */
  readonly onAnswer: (ms: number) => void;
}

/** Pushes written in one turn of the event loop, so that the other lane gets its turn. */
const TURN = 64;
/** Repeats at once of what the provider has not looked at; then it waits as after an error. */
const REPEATS_MAX = 5;
/** What is due so soon is due now: waking a window costs more. */
const SOON_MS = 250;
/** A timer that is so late tells that the process stood still. */
const LATE_MS = 100;
const HOUR_MS = 3_600_000;

/** Why the devices that are left are not written now. */
interface Waiting {
  readonly dueAt: number;
  /** What they end with when their time is over. */
  readonly verdict: Verdict;
  /** When that is. */
  readonly until: number;
}

/** Sends the pending devices of a window and gathers what becomes of them. No promise and no closure per device. */
export class WindowRun implements PushListener {
  readonly #parts: RunParts;
  readonly #pump = (): void => this.#write();
  readonly #random: number;
  readonly #retryUntil: number;
  /** Indexes in `pending` to write, from `#next` on. */
  readonly #queue: number[] = [];
  #next = 0;
  readonly #verdicts: (Verdict | undefined)[];
  readonly #progress: (Progress | undefined)[];
  readonly #at: Float64Array;
  readonly #since = new Map<number, number>();
  readonly #repaired = new Set<number>();
  readonly #repeats = new Map<number, number>();
  #inFlight = 0;
  /** The push whose answer is timed, and when it was written. */
  #timed = -1;
  #timedAt = 0;
  #faulty = false;
  #repairing = 0;
  /** Set once nothing more is written: when what is left is due. */
  #rest: Waiting | undefined;
  #ended = false;
  #resolve: (end: RunEnd) => void = () => undefined;
  readonly #cancels: (() => void)[] = [];

  constructor(parts: RunParts) {
    this.#parts = parts;
    const { pending, batch, claimedAt, sender, random } = parts;
    this.#random = random();
    const releasedAt = batch.releasedAt?.getTime() ?? claimedAt;
    this.#retryUntil = retryDeadline(releasedAt, claimedAt, sender.ttlSeconds);
    this.#verdicts = new Array<Verdict | undefined>(pending.length).fill(undefined);
    this.#progress = new Array<Progress | undefined>(pending.length).fill(undefined);
    this.#at = new Float64Array(pending.length);
  }

  /** Resolves at the deadline at the latest. */
  run(): Promise<RunEnd> {
    const { timers, cutoff, deadline } = this.#parts;
    return new Promise((resolve) => {
      this.#resolve = resolve;
      this.#sort();
      const now = timers.now();
      this.#cancels.push(
        timers.after(cutoff - now, this.#pump),
        timers.after(deadline - now, () => this.#atDeadline(deadline, 2)),
      );
      this.#write();
    });
  }

  mayGo(): boolean {
    return this.#parts.incarnation.alive();
  }

  answered(i: number, verdict: Verdict, detail: AnswerDetail = {}): void {
    if (this.#ended) return;
    this.#inFlight--;
    if (i === this.#timed) this.#time(verdict);
    const { retryAfterMs = 0, since } = detail;
    const { clock, gates, sender } = this.#parts;
    if (retryAfterMs > 0) gates.close(sender.gate, clock.now() + retryAfterMs);
    if (since !== undefined) this.#since.set(i, since);
    this.#obey(i, verdict, retryAfterMs);
    if (this.#inFlight === 0) this.#write();
  }

  /** Local causes are no answers. */
  #time({ code }: Verdict): void {
    const { timers, onAnswer } = this.#parts;
    this.#timed = Infinity;
    if (code !== '0') onAnswer(timers.now() - this.#timedAt);
  }

  #obey(i: number, verdict: Verdict, retryAfterMs: number): void {
    switch (verdict.then.do) {
      case 'sent':
      case 'final':
      case 'invalidate':
        this.#settle(i, verdict);
        break;
      case 'once':
        if (this.#repaired.has(i)) this.#settle(i, verdict);
        else this.#repair(i, verdict);
        break;
      case 'retry':
        this.#retry(i, verdict, verdict.then.firstWaitMs, retryAfterMs);
        break;
    }
  }

  unprocessed(i: number): void {
    if (this.#ended) return;
    this.#inFlight--;
    const repeats = (this.#repeats.get(i) ?? 0) + 1;
    this.#repeats.set(i, repeats);
    if (repeats > REPEATS_MAX) this.#retry(i, localVerdicts.connectionLost, 0, 0);
    else this.#queue.push(i);
    this.#write();
  }

  /** Sets aside what needs no push, or not yet. */
  #sort(): void {
    const { pending, columns, clock } = this.#parts;
    const soon = clock.now() + SOON_MS;
    pending.forEach(({ device, progress }, i) => {
      if (progress.repaired) this.#repaired.add(i);
      if (bitAt(columns.gone, device)) this.#settle(i, localVerdicts.noDevice);
      else if (!hasToken(columns, device)) this.#settle(i, localVerdicts.noToken);
      else if (progress.dueAt > soon) this.#progress[i] = progress;
      else this.#queue.push(i);
    });
  }

  #write(): void {
    if (this.#ended) return;
    if (!this.#parts.incarnation.alive()) {
      this.#end({ lost: true });
      return;
    }
    for (let written = 0; this.#next < this.#queue.length && this.#mayWrite();) {
      if (written++ === TURN) {
        this.#cancels.push(this.#parts.timers.after(0, this.#pump));
        return;
      }
      if (!this.#push(this.#queue[this.#next]!)) break;
    }
    this.#endIfDone();
  }

  /** False once the rest of the queue has to wait. */
  #mayWrite(): boolean {
    if (this.#rest) return false;
    const { gates, sender, timers, cutoff } = this.#parts;
    const blockedUntil = gates.blockedUntil(sender.gate);
    if (blockedUntil > 0) this.#rest = this.#waitsUntil(blockedUntil, localVerdicts.throttled);
    else if (timers.now() >= cutoff) this.#rest = this.#outOfTime();
    return this.#rest === undefined;
  }

  #waitsUntil(dueAt: number, verdict: Verdict): Waiting {
    return { dueAt, verdict, until: this.#retryUntil };
  }

  /** The window's time is over, not the devices': they were not tried yet, and a short TTL must not cost them that. */
  #outOfTime(): Waiting {
    const { clock, claimedAt } = this.#parts;
    return { dueAt: clock.now(), verdict: localVerdicts.unreachable, until: claimedAt + RETRY_FOR_MS };
  }

  /** Writes one push; false when there is no room for another. */
  #push(i: number): boolean {
    const { sender, incarnation, clock, timers } = this.#parts;
    if (!incarnation.alive()) {
      this.#end({ lost: true });
      return false;
    }
    const pushed = this.#pushed(i);
    if (pushed === 'busy') {
      const downMs = sender.downUntil() - timers.now();
      if (downMs > 0) this.#rest = this.#waitsUntil(clock.now() + Math.min(downMs, HOUR_MS), localVerdicts.unreachable);
      else sender.whenReady(this.#pump);
      return false;
    }
    this.#next++;
    if (pushed === 'written') this.#written(i);
    else this.#settle(i, pushed);
    return true;
  }

  #written(i: number): void {
    this.#inFlight++;
    if (this.#timed >= 0) return;
    this.#timed = i;
    this.#timedAt = this.#parts.timers.now();
  }

  /** What cannot be written through a fault of our own costs that device only (R-P3). */
  #pushed(i: number): 'written' | 'busy' | Verdict {
    const { sender, pending, deadline, onFault } = this.#parts;
    try {
      return sender.push(pending[i]!.device, i, deadline, this);
    } catch (error) {
      if (!this.#faulty) onFault(error);
      this.#faulty = true;
      return localVerdicts.internalError;
    }
  }

  #settle(i: number, verdict: Verdict): void {
    this.#verdicts[i] = verdict;
    this.#at[i] = this.#parts.clock.now();
  }

  #retry(i: number, verdict: Verdict, firstWaitMs: number, retryAfterMs: number): void {
    const tries = this.#parts.pending[i]!.progress.tries + 1;
    const dueAt = this.#parts.clock.now() + retryWaitMs({ tries, firstWaitMs, retryAfterMs }, this.#random);
    if (dueAt > this.#retryUntil) this.#settle(i, { ...verdict, then: { do: 'final' } });
    else this.#wait(i, { tries, dueAt, repaired: this.#repaired.has(i), last: verdict });
  }

  #wait(i: number, progress: Progress): void {
    this.#progress[i] = progress;
  }

  #repair(i: number, verdict: Verdict): void {
    this.#repaired.add(i);
    this.#repairing++;
    this.#parts.sender
      .repair()
      .then(
        () => void this.#queue.push(i),
        (error: unknown) => {
          if (Fault.from(error).kind === 'unavailable') this.#retry(i, localVerdicts.connectionLost, 0, 0);
          else this.#settle(i, verdict);
        },
      )
      .finally(() => {
        this.#repairing--;
        this.#write();
      });
  }

  /** Waits a little longer when the timer itself is late: after a pause of the process the answers are still in the socket. */
  #atDeadline(expected: number, patience: number): void {
    const { timers } = this.#parts;
    const now = timers.now();
    if (now - expected < LATE_MS || patience === 0) this.#expire();
    else this.#cancels.push(timers.after(LATE_MS, () => this.#atDeadline(now + LATE_MS, patience - 1)));
  }

  #expire(): void {
    if (this.#ended) return;
    this.#inFlight = 0;
    this.#repairing = 0;
    this.#rest ??= this.#outOfTime();
    const written = new Set(this.#queue.slice(0, this.#next));
    for (const i of written) {
      if (!this.#verdicts[i] && !this.#progress[i]) this.#retry(i, localVerdicts.timeout, 0, 0);
    }
    this.#endIfDone();
  }

  #endIfDone(): void {
    if (this.#ended || this.#inFlight > 0 || this.#repairing > 0) return;
    if (this.#next < this.#queue.length && !this.#rest) return;
    for (const i of this.#queue.slice(this.#next)) this.#unsent(i, this.#rest!);
    if (!this.#parts.incarnation.alive()) this.#end({ lost: true });
    else this.#end({ lost: false, results: this.#results(), waiting: this.#waiting() });
  }

  /** It was not its turn: no try is counted. */
  #unsent(i: number, { dueAt, verdict, until }: Waiting): void {
    const { tries, last } = this.#parts.pending[i]!.progress;
    if (dueAt > until) this.#settle(i, last ?? verdict);
    else this.#wait(i, { tries, dueAt, repaired: this.#repaired.has(i), last });
  }

  #results(): DeviceResult[] {
    const { pending, columns } = this.#parts;
    return pending.flatMap(({ device }, i) => {
      const verdict = this.#verdicts[i];
      if (!verdict) return [];
      return {
        position: columns.positions[device]!,
        platform: columns.platforms[device]!,
        hour: Math.floor(this.#at[i]! / HOUR_MS),
        displayable: bitAt(columns.displayable, device),
        verdict,
        deadToken: verdict.then.do === 'invalidate' ? tokenOf(columns, device) : undefined,
        since: this.#since.get(i),
      };
    });
  }

  #waiting(): Pending[] {
    return this.#parts.pending.flatMap(({ device }, i) => {
      const progress = this.#progress[i];
      return progress && !this.#verdicts[i] ? [{ device, progress }] : [];
    });
  }

  #end(end: RunEnd): void {
    this.#ended = true;
    for (const cancel of this.#cancels) cancel();
    this.#resolve(end);
  }
}
