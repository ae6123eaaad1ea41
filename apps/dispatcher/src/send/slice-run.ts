import { type SendResult, localResults } from '@tidings/channels';
import { type DeviceResult, type WaitReason, LATE_ANSWER_MS } from '@tidings/delivery';
import { Fault } from '@tidings/kernel';
import type { AnswerDetail, PushListener, Sender } from '../channels/channel-port.ts';
import type { Epoch } from '../attempts/worker-lease.ts';
import type { PacedRun, Paces } from '../pace/pace.ts';
import type { StoppedMessages } from '../stop/stopped-messages.ts';
import type { Throttles } from '../throttle/throttles.ts';
import type { Timers } from '../timers.ts';
import { RouteQueue } from './route-queue.ts';
import { type RunState, SliceDevices, type SliceDevicesOptions } from './slice-devices.ts';

export type RunEnd = { readonly lost: true } | (RunState & { readonly lost: false });

export interface RunDeps extends Omit<SliceDevicesOptions, 'isStopped'> {
  readonly sender: Sender;
  readonly epoch: Epoch;
  readonly throttles: Throttles;
  readonly paces: Paces;
  readonly stops: Pick<StoppedMessages, 'has' | 'isFresh' | 'whenFresh'>;
  readonly probe: boolean;
  readonly cutoff: number;
  readonly deadline: number;
  readonly timers: Timers;
  readonly onFault: (error: unknown) => void;
  readonly onAnswer: () => void;
  readonly onFirstAnswer: (ms: number) => void;
}

const WRITES_PER_TURN = 250;
/** Limits immediate repeats while the provider answers no other push. */
const REPEATS_MAX = 5;
const HOUR_MS = 3_600_000;

/** Needs no promise and no closure per device. Late answers still change its state. */
export class SliceRun implements PushListener {
  readonly #deps: RunDeps;
  readonly #devices: SliceDevices;
  readonly #pump = (): void => this.#write();
  readonly #routes = new Map<object, RouteQueue>();
  readonly #refreshing = new Set<number>();
  readonly #repeats = new Map<number, { readonly count: number; readonly answers: number }>();
  #answers = 0;
  readonly #inFlightFlags: Uint8Array;
  #inFlight = 0;
  #probing: boolean;
  #paced: PacedRun | undefined;
  #timed = -1;
  #timedAt = 0;
  #faulty = false;
  #blockedBy: WaitReason | undefined;
  #phase: 'writing' | 'late' | 'over' = 'writing';
  #resolve: (end: RunEnd) => void = () => undefined;
  readonly #cancels: (() => void)[] = [];

  readonly answersForMs: number;
  lateAnswers = 0;
  onLate: () => void = () => undefined;

  constructor(deps: RunDeps) {
    this.#deps = deps;
    this.answersForMs = deps.sender.answersForMs ?? LATE_ANSWER_MS;
    this.#devices = new SliceDevices({
      ...deps,
      answersForMs: this.answersForMs,
      isStopped: () => this.#isStopped,
    });
    this.#probing = deps.probe;
    this.#inFlightFlags = new Uint8Array(deps.pending.length);
  }

  get credential(): string {
    return this.#deps.sender.credential;
  }

  get isLate(): boolean {
    return this.#phase === 'late';
  }

  get outstanding(): number {
    return this.#phase === 'over' ? 0 : this.#inFlight;
  }

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

  stop(): void {
    if (this.#phase === 'writing') this.#write();
    else if (this.#phase === 'late') this.#continue(false);
  }

  get #isStopped(): boolean {
    return this.#deps.stops.has(this.#deps.batch.message);
  }

  cut(): void {
    if (this.#phase !== 'writing') return;
    this.#blockedBy ??= this.#turnReason();
    for (const i of this.#refreshing) this.#devices.makeDue(i);
    this.#refreshing.clear();
    this.#endIfDone(true);
  }

  abandon(): void {
    this.#end('over');
  }

  get devicesAnswered(): number {
    return this.#devices.answered;
  }

  results(): readonly DeviceResult[] {
    return this.#devices.results();
  }

  state(): RunState {
    if (this.#isStopped) this.#endUnwritten();
    return this.#devices.state(this.#inFlight > 0);
  }

  mayFlush(): boolean {
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
    this.#applyResult(i, result, retryAfterMs);
    if (this.#phase === 'writing') this.#deps.onAnswer();
    this.#continue(this.#inFlight === 0);
  }

  unprocessed(i: number): void {
    if (!this.#arrived(i)) return;
    const last = this.#repeats.get(i);
    // A provider that closes connections in turn may skip a device often, but answers others meanwhile.
    const count = last?.answers === this.#answers ? last.count + 1 : 1;
    this.#repeats.set(i, { count, answers: this.#answers });
    if (this.#phase === 'late') this.#devices.unprocessed(i);
    else if (count > REPEATS_MAX) this.#devices.retry(i, { result: localResults.connectionLost });
    else this.#routeOf(i).push(i);
    this.#continue(true);
  }

  #arrived(i: number): boolean {
    if (this.#phase === 'over' || this.#inFlightFlags[i] === 0) return false;
    this.#inFlightFlags[i] = 0;
    this.#inFlight--;
    return true;
  }

  #continue(write: boolean): void {
    if (this.#phase === 'late') {
      this.lateAnswers++;
      this.onLate();
    } else if (write) this.#write();
  }

  #time({ code }: SendResult): void {
    const { timers, onFirstAnswer } = this.#deps;
    this.#timed = Infinity;
    if (code !== '0') onFirstAnswer(timers.now() - this.#timedAt);
  }

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

  #applyResult(i: number, result: SendResult, retryAfterMs: number): void {
    switch (result.then.do) {
      case 'sent':
      case 'final':
      case 'invalidate':
        this.#devices.settle(i, result);
        break;
      case 'once':
        if (this.#devices.isRefreshed(i) || this.#isStopped) this.#devices.settle(i, result);
        else this.#refresh(i, result);
        break;
      case 'retry':
        if (result === localResults.connectionLost || result === localResults.timeout) this.#unknown(i, result);
        else this.#devices.retry(i, { result, firstWaitMs: result.then.firstWaitMs, retryAfterMs });
        break;
    }
  }

  #unknown(i: number, result: SendResult): void {
    if (this.#deps.batch.atMostOnce) this.#devices.settle(i, localResults.unknownOutcome);
    else if (this.#phase !== 'late' || result !== localResults.timeout)
      this.#devices.retry(i, { result, outcomeUnknown: true });
  }

  #write(): void {
    if (this.#phase !== 'writing') return;
    if (!this.#deps.epoch.alive()) {
      this.#end('over', { lost: true });
      return;
    }
    if (this.#isStopped) this.#endUnwritten();
    if (!this.#isWaiting() || !this.#mayWrite() || this.#writeIfFresh()) this.#endIfDone(false);
  }

  #endUnwritten(): void {
    this.#routes.clear();
    this.#refreshing.clear();
    this.#devices.stop((i) => this.#inFlightFlags[i] === 1);
  }

  /** A process that was frozen may not know of a stop. */
  #writeIfFresh(): boolean {
    const { stops } = this.#deps;
    if (stops.isFresh) return this.#writeRoutes();
    stops.whenFresh(this.#pump);
    return false;
  }

  #writeRoutes(): boolean {
    let written = 0;
    for (const route of this.#routes.values()) {
      for (let i = route.next(); i !== undefined && this.#mayWrite(); i = route.next()) {
        if (this.#probing && this.#inFlight > 0) return false;
        if (this.#paced?.mayWrite() === false) return true;
        if (written++ === WRITES_PER_TURN) {
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

  #isWaiting(): boolean {
    for (const route of this.#routes.values()) if (route.isWaiting) return true;
    return false;
  }

  #mayWrite(): boolean {
    if (this.#blockedBy) return false;
    const { throttles, sender, timers, cutoff } = this.#deps;
    const until = this.#probing ? 0 : throttles.blockedUntil(sender.credential);
    if (until > 0) this.#blockedBy = { by: 'throttle', until };
    else if (timers.now() >= cutoff) this.#blockedBy = this.#turnReason();
    return this.#blockedBy === undefined;
  }

  #turnReason(): WaitReason {
    return { by: 'turn', until: this.#deps.clock.now() };
  }

  #push(i: number, route: RouteQueue): boolean {
    const { epoch, pending } = this.#deps;
    if (!epoch.alive()) {
      this.#end('over', { lost: true });
      return false;
    }
    const pushed = this.#pushed(i);
    if (pushed === 'busy') {
      const { device } = pending[i]!;
      route.blockedBy = this.#blockedReason(device);
      // A connection that closes may use the call up, so every attempt asks.
      if (!route.blockedBy) this.#deps.sender.whenReady(this.#pump, device);
      return false;
    }
    route.shift();
    if (pushed === 'written') this.#written(i);
    else this.#devices.settle(i, pushed);
    return true;
  }

  #blockedReason(device: number): WaitReason | undefined {
    const { sender, clock, timers } = this.#deps;
    const throttledUntil = sender.throttledUntil?.(device) ?? 0;
    if (throttledUntil > 0) return { by: 'throttle', until: throttledUntil };
    const downMs = sender.downUntil(device) - timers.now();
    if (downMs <= 0) return undefined;
    return { by: 'provider', until: clock.now() + Math.min(downMs, HOUR_MS), cause: sender.failure(device) };
  }

  #written(i: number): void {
    this.#inFlightFlags[i] = 1;
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

  #refresh(i: number, result: SendResult): void {
    const { sender } = this.#deps;
    this.#devices.refreshed(i);
    if (this.#phase === 'late') {
      this.#devices.makeDue(i);
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

  #refreshEnded(i: number, then: () => void): void {
    if (!this.#refreshing.delete(i)) return;
    then();
    this.#write();
  }

  #endIfDone(cut: boolean): void {
    if (this.#phase !== 'writing') return;
    if (!cut && (this.#inFlight > 0 || this.#refreshing.size > 0)) return;
    if (!this.#blockedBy && this.#isWaiting()) return;
    this.#deferUnsent();
    if (this.#inFlight > 0) this.#inFlightFlags.forEach((flag, i) => void (flag === 1 && this.#devices.awaitAnswer(i)));
    if (!this.#deps.epoch.alive()) this.#end('over', { lost: true });
    else this.#end(this.#inFlight > 0 ? 'late' : 'over', { lost: false, ...this.state() });
  }

  #deferUnsent(): void {
    const { sender } = this.#deps;
    for (const route of this.#routes.values()) {
      const isOwnRoute = route.blockedBy !== undefined && sender.routeOf !== undefined;
      for (const i of route.remaining())
        this.#devices.deferUnwritten(i, (route.blockedBy ?? this.#blockedBy)!, isOwnRoute);
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
