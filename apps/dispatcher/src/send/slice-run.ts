import { type SendResult, localResults } from '@tidings/channels';
import { type DeviceResult, type HeldBack, LATE_ANSWER_MS } from '@tidings/delivery';
import { Fault } from '@tidings/kernel';
import type { AnswerDetail, PushListener, Sender } from '../channels/channel-port.ts';
import type { Epoch } from '../attempts/worker-lease.ts';
import type { PacedRun, Paces } from '../pace/pace.ts';
import type { Throttles } from '../throttle/throttles.ts';
import type { Timers } from '../timers.ts';
import { RouteQueue } from './route-queue.ts';
import { type RunState, SliceDevices, type SliceDevicesOptions } from './slice-devices.ts';

/** The end of a run: the worker lost its lease, or every device has a result or a deferral. */
export type RunEnd = { readonly lost: true } | (RunState & { readonly lost: false });

export interface RunDeps extends SliceDevicesOptions {
  readonly sender: Sender;
  readonly epoch: Epoch;
  readonly throttles: Throttles;
  readonly paces: Paces;
  /** The credential is throttled, and one push tests whether it still is. */
  readonly probe: boolean;
  /** Deadlines of the last write, and of the run with outstanding answers, on the timers' clock. */
  readonly cutoff: number;
  readonly deadline: number;
  readonly timers: Timers;
  /** Receives the first internal fault. */
  readonly onFault: (error: unknown) => void;
  readonly onAnswer: () => void;
  /** Receives the response time of the first push. */
  readonly onFirstAnswer: (ms: number) => void;
}

/** Pushes written per turn of the event loop, some milliseconds of work. Slices end one after the other rather than all at last. */
const TURN = 250;
/** Immediate repeats of an unprocessed push while the provider answers no other; afterwards the device waits as after an error. */
const REPEATS_MAX = 5;
const HOUR_MS = 3_600_000;

/**
 * Sends the pending devices of a slice and collects their results. The run ends at its deadline at the latest; later answers still change its
 * state, and are reported by {@link onLate}. No promise and no closure per device.
 */
export class SliceRun implements PushListener {
  readonly #deps: RunDeps;
  readonly #devices: SliceDevices;
  readonly #pump = (): void => this.#write();
  /** Devices to write, by route: one whose provider is slow or down does not stop the others. */
  readonly #routes = new Map<object, RouteQueue>();
  readonly #refreshing = new Set<number>();
  /** Repeats of unprocessed devices, and the number of answers at the last one. */
  readonly #repeats = new Map<number, { readonly count: number; readonly answers: number }>();
  #answers = 0;
  /** 1 for devices that were written and are not answered. */
  readonly #flying: Uint8Array;
  #inFlight = 0;
  #probing: boolean;
  /** Permits of a message with a send rate; undefined = none are needed. */
  #paced: PacedRun | undefined;
  /** The push whose response time is measured, and the time of its write. */
  #timed = -1;
  #timedAt = 0;
  #faulty = false;
  /** Why writing stopped; undefined while pushes are written. */
  #held: HeldBack | undefined;
  #phase: 'writing' | 'late' | 'over' = 'writing';
  #resolve: (end: RunEnd) => void = () => undefined;
  readonly #cancels: (() => void)[] = [];

  /** How long answers are awaited after the run has ended. */
  readonly answersForMs: number;
  /** Number of answers that arrived after the run ended. */
  lateAnswers = 0;
  /** Called for each of them. */
  onLate: () => void = () => undefined;

  constructor(deps: RunDeps) {
    this.#deps = deps;
    this.answersForMs = deps.sender.answersForMs ?? LATE_ANSWER_MS;
    this.#devices = new SliceDevices({ ...deps, answersForMs: this.answersForMs });
    this.#probing = deps.probe;
    this.#flying = new Uint8Array(deps.pending.length);
  }

  /** Fingerprint of its credential. */
  get credential(): string {
    return this.#deps.sender.credential;
  }

  /** Whether the run ended with outstanding answers, which may have arrived since. */
  get isLate(): boolean {
    return this.#phase === 'late';
  }

  /** Number of written devices without an answer. */
  get outstanding(): number {
    return this.#phase === 'over' ? 0 : this.#inFlight;
  }

  /** Resolves at the deadline at the latest. */
  run(): Promise<RunEnd> {
    const { timers, cutoff, deadline } = this.#deps;
    return new Promise((resolve) => {
      this.#resolve = resolve;
      const { batch, paces } = this.#deps;
      const devices = this.#devices.toWrite();
      for (const i of devices) this.#routeOf(i).push(i);
      if (batch.sendRate > 0) this.#paced = paces.join(batch, this.#pump, devices.length);
      const now = timers.now();
      this.#cancels.push(
        timers.after(cutoff - now, this.#pump),
        timers.after(deadline - now, () => this.cut()),
      );
      this.#write();
    });
  }

  /** Ends the run now: nothing more is written, and answers in flight become late. */
  cut(): void {
    if (this.#phase !== 'writing') return;
    this.#held ??= this.#notItsTurn();
    for (const i of this.#refreshing) this.#devices.again(i);
    this.#refreshing.clear();
    this.#endIfDone(true);
  }

  /** Ignores further answers: another worker has the slice, or the wait for late answers is over. */
  abandon(): void {
    this.#end('over');
  }

  get devicesAnswered(): number {
    return this.#devices.answered;
  }

  results(): readonly DeviceResult[] {
    return this.#devices.results();
  }

  /** The current progress of the devices. */
  state(): RunState {
    return this.#devices.state(this.#inFlight > 0);
  }

  mayGo(): boolean {
    return this.#phase !== 'over' && this.#deps.epoch.alive();
  }

  answered(i: number, result: SendResult, detail: AnswerDetail = {}): void {
    if (!this.#arrived(i)) return;
    this.#answers++;
    if (i === this.#timed) this.#time(result);
    const { retryAfterMs = 0, since, replacement } = detail;
    this.#throttle(result, retryAfterMs);
    if (since !== undefined) this.#devices.deadSince(i, since);
    if (replacement !== undefined) this.#devices.tokenReplaced(i, replacement);
    this.#obey(i, result, retryAfterMs);
    if (this.#phase === 'writing') this.#deps.onAnswer();
    this.#goOn(this.#inFlight === 0);
  }

  unprocessed(i: number): void {
    if (!this.#arrived(i)) return;
    const last = this.#repeats.get(i);
    // A provider that closes its connections one after the other may leave a device aside many times, but answers others meanwhile.
    const count = last?.answers === this.#answers ? last.count + 1 : 1;
    this.#repeats.set(i, { count, answers: this.#answers });
    if (this.#phase === 'late') this.#devices.unprocessed(i);
    else if (count > REPEATS_MAX) this.#devices.retry(i, { result: localResults.connectionLost });
    else this.#routeOf(i).push(i);
    this.#goOn(true);
  }

  /** Whether the answer is awaited. */
  #arrived(i: number): boolean {
    if (this.#phase === 'over' || this.#flying[i] === 0) return false;
    this.#flying[i] = 0;
    this.#inFlight--;
    return true;
  }

  #goOn(write: boolean): void {
    if (this.#phase === 'late') {
      this.lateAnswers++;
      this.onLate();
    } else if (write) this.#write();
  }

  /** Local causes are not answers. */
  #time({ code }: SendResult): void {
    const { timers, onFirstAnswer } = this.#deps;
    this.#timed = Infinity;
    if (code !== '0') onFirstAnswer(timers.now() - this.#timedAt);
  }

  /** Applies the answer to the credential: it throttles it, or lifts the throttle. */
  #throttle({ then, code, name }: SendResult, retryAfterMs: number): void {
    const { throttles, sender, clock } = this.#deps;
    const isAnswer = code !== '0';
    if (then.do === 'retry' && then.throttles !== 'device') {
      const waitMs = Math.max(retryAfterMs, then.throttles === 'credential' ? then.firstWaitMs : 0);
      if (waitMs > 0) {
        this.#probing = false;
        throttles.close(sender.credential, clock.now() + waitMs, `${code} ${name}`, sender.settings);
        return;
      }
    }
    if (!this.#probing) return;
    this.#probing = false;
    if (isAnswer) throttles.lift(sender.credential);
    else throttles.returnProbe(sender.credential, sender.settings);
  }

  #obey(i: number, result: SendResult, retryAfterMs: number): void {
    switch (result.then.do) {
      case 'sent':
      case 'final':
      case 'invalidate':
        this.#devices.settle(i, result);
        break;
      case 'once':
        if (this.#devices.isRefreshed(i)) this.#devices.settle(i, result);
        else this.#refresh(i, result);
        break;
      case 'retry':
        if (result === localResults.connectionLost || result === localResults.timeout) this.#unknown(i, result);
        else this.#devices.retry(i, { result, firstWaitMs: result.then.firstWaitMs, retryAfterMs });
        break;
    }
  }

  /** The push was written and its answer is lost: it may have been delivered. */
  #unknown(i: number, result: SendResult): void {
    if (this.#deps.batch.atMostOnce) this.#devices.settle(i, localResults.unknownOutcome);
    // A late device already waits for its answer, until it is due.
    else if (this.#phase !== 'late' || result !== localResults.timeout)
      this.#devices.retry(i, { result, outcomeUnknown: true });
  }

  #write(): void {
    if (this.#phase !== 'writing') return;
    if (!this.#deps.epoch.alive()) {
      this.#end('over', { lost: true });
      return;
    }
    if (!this.#isWaiting() || !this.#mayWrite() || this.#writeRoutes()) this.#endIfDone(false);
  }

  /** Writes what the routes have room for; false if the rest follows without being asked for. */
  #writeRoutes(): boolean {
    let written = 0;
    for (const route of this.#routes.values()) {
      for (let i = route.next(); i !== undefined && this.#mayWrite(); i = route.next()) {
        // One push suffices as a probe.
        if (this.#probing && this.#inFlight > 0) return false;
        // It is called again when it may write.
        if (this.#paced?.mayWrite() === false) return true;
        if (written++ === TURN) {
          this.#cancels.push(this.#deps.timers.after(0, this.#pump));
          return false;
        }
        if (!this.#push(i, route)) break;
      }
    }
    return true;
  }

  #routeOf(i: number): RouteQueue {
    const { sender, pending } = this.#deps;
    const key = sender.routeOf?.(pending[i]!.device) ?? sender;
    let route = this.#routes.get(key);
    if (!route) this.#routes.set(key, (route = new RouteQueue()));
    return route;
  }

  /** Whether devices wait for a route. */
  #isWaiting(): boolean {
    for (const route of this.#routes.values()) if (route.isWaiting) return true;
    return false;
  }

  /** False once the remaining devices must be deferred. */
  #mayWrite(): boolean {
    if (this.#held) return false;
    const { throttles, sender, timers, cutoff } = this.#deps;
    const until = this.#probing ? 0 : throttles.blockedUntil(sender.credential);
    if (until > 0) this.#held = { by: 'throttle', until };
    else if (timers.now() >= cutoff) this.#held = this.#notItsTurn();
    return this.#held === undefined;
  }

  #notItsTurn(): HeldBack {
    return { by: 'turn', until: this.#deps.clock.now() };
  }

  /** Writes one push; false if its route has no room for another. */
  #push(i: number, route: RouteQueue): boolean {
    const { epoch, pending } = this.#deps;
    if (!epoch.alive()) {
      this.#end('over', { lost: true });
      return false;
    }
    const pushed = this.#pushed(i);
    if (pushed === 'busy') {
      const { device } = pending[i]!;
      route.held = this.#heldOf(device);
      // Every attempt asks: a call may be used up by a connection that closes meanwhile.
      if (!route.held) this.#deps.sender.whenReady(this.#pump, device);
      return false;
    }
    route.shift();
    if (pushed === 'written') this.#written(i);
    else this.#devices.settle(i, pushed);
    return true;
  }

  /** Why the provider of a device takes nothing for a while; undefined if it only has no room. */
  #heldOf(device: number): HeldBack | undefined {
    const { sender, clock, timers } = this.#deps;
    const throttledUntil = sender.throttledUntil?.(device) ?? 0;
    if (throttledUntil > 0) return { by: 'throttle', until: throttledUntil };
    const downMs = sender.downUntil(device) - timers.now();
    if (downMs <= 0) return undefined;
    return { by: 'provider', until: clock.now() + Math.min(downMs, HOUR_MS), cause: sender.trouble(device) };
  }

  #written(i: number): void {
    this.#flying[i] = 1;
    this.#inFlight++;
    this.#paced?.written();
    if (this.#timed >= 0) return;
    this.#timed = i;
    this.#timedAt = this.#deps.timers.now();
  }

  /** An internal fault while writing affects only that device (R-P3). */
  #pushed(i: number): 'written' | 'busy' | SendResult {
    const { sender, pending, deadline, onFault } = this.#deps;
    try {
      return sender.push(pending[i]!.device, i, deadline + this.answersForMs, this);
    } catch (error) {
      if (!this.#faulty) onFault(error);
      this.#faulty = true;
      return localResults.internalError;
    }
  }

  /** Refreshes the credentials and sends the device once more. */
  #refresh(i: number, result: SendResult): void {
    const { sender } = this.#deps;
    this.#devices.refreshed(i);
    if (this.#phase === 'late') {
      // The next run sends it. If the refresh has not succeeded by then, that run finds out again.
      this.#devices.again(i);
      sender.refresh().catch(() => undefined);
      return;
    }
    this.#refreshing.add(i);
    sender.refresh().then(
      () => this.#refreshEnded(i, () => this.#routeOf(i).push(i)),
      (error: unknown) =>
        this.#refreshEnded(i, () => {
          if (Fault.from(error).kind === 'unavailable') this.#devices.retry(i, { result: localResults.connectionLost });
          else this.#devices.settle(i, result);
        }),
    );
  }

  /** Does nothing if the run has ended: the device then waits for another run. */
  #refreshEnded(i: number, then: () => void): void {
    if (!this.#refreshing.delete(i)) return;
    then();
    this.#write();
  }

  #endIfDone(cut: boolean): void {
    if (this.#phase !== 'writing') return;
    if (!cut && (this.#inFlight > 0 || this.#refreshing.size > 0)) return;
    if (!this.#held && this.#isWaiting()) return;
    this.#deferUnsent();
    if (this.#inFlight > 0) this.#flying.forEach((flying, i) => void (flying === 1 && this.#devices.late(i)));
    if (!this.#deps.epoch.alive()) this.#end('over', { lost: true });
    else this.#end(this.#inFlight > 0 ? 'late' : 'over', { lost: false, ...this.state() });
  }

  #deferUnsent(): void {
    const { sender } = this.#deps;
    for (const route of this.#routes.values()) {
      const isOwn = route.held !== undefined && sender.routeOf !== undefined;
      for (const i of route.rest()) this.#devices.unsent(i, (route.held ?? this.#held)!, isOwn);
    }
  }

  #end(phase: 'late' | 'over', end?: RunEnd): void {
    const { throttles, sender } = this.#deps;
    if (phase === 'over' && this.#probing) throttles.returnProbe(sender.credential, sender.settings);
    if (phase === 'over') this.#probing = false;
    this.#phase = phase;
    this.#paced?.leave();
    for (const cancel of this.#cancels.splice(0)) cancel();
    if (end) this.#resolve(end);
  }
}
