import { type SendResult, apnsRefusal, localResults, sent } from '@tidings/channels';
import { valueOf } from '@tidings/delivery';
import { Fault } from '@tidings/kernel';
import type { Job, PushListener, Sender } from '../channels/channel-port.ts';
import type { VirtualTime } from './virtual-time.ts';

const SECOND = 1000;

const unregistered = apnsRefusal(410, '{"reason":"Unregistered"}').result;
const tooMany = apnsRefusal(429, '{"reason":"TooManyRequests"}').result;
const unavailable = apnsRefusal(503, '{"reason":"ServiceUnavailable"}').result;
/** Before the deadline for late answers. */
const SLOWEST = 28 * SECOND;
/** Less than the devices of a full slice. */
const PUSHES_AT_ONCE = 125;

type Span = readonly [from: number, to: number];

const isWithin = ([from, to]: Span, now: number): boolean => now >= from && now < to;

export type Answering = 'ok' | 'dead' | 'busy' | 'slow' | 'silent';

interface SenderOptions {
  readonly alive: () => boolean | number;
  readonly pushed: (device: string) => void;
}

export class SimulatedProvider {
  readonly #random: () => number;
  readonly #time: VirtualTime;
  readonly #throttled: Span[] = [];
  readonly #down: Span[] = [];
  readonly #answering = new Map<string, Answering>();
  readonly #busyUntil = new Map<string, number>();
  readonly #pushes = new Map<string, number>();
  readonly #accepted = new Set<string>();
  readonly #refusals = new Map<string, number>();
  readonly #lastRefused = new Set<string>();
  readonly stats = { late: 0, throttled: 0, unready: 0 };

  constructor(time: VirtualTime, random: () => number) {
    this.#time = time;
    this.#random = random;
  }

  addCredential(throttled: Span, down: Span): void {
    this.#throttled.push(throttled);
    this.#down.push(down);
  }

  addDevice(device: string): void {
    const chance = this.#random();
    const shares = [
      [0.1, 'dead'],
      [0.2, 'busy'],
      [0.3, 'slow'],
      [0.32, 'silent'],
    ] as const;
    this.#answering.set(device, shares.find(([below]) => chance < below)?.[1] ?? 'ok');
  }

  pushesTo(device: string): number {
    return this.#pushes.get(device) ?? 0;
  }

  hasAccepted(device: string, value: string | undefined): boolean {
    return this.#accepted.has(`${device} ${value}`);
  }

  wasLastRefused(device: string): boolean {
    return this.#lastRefused.has(device);
  }

  hasAcceptedAny(device: string): boolean {
    return [...this.#accepted].some((accepted) => accepted.startsWith(`${device} `));
  }

  refusalsOf(device: string): number {
    return this.#refusals.get(device) ?? 0;
  }

  answeringOf(device: string): Answering {
    return this.#answering.get(device)!;
  }

  sender({ batch, columns }: Job, { alive, pushed }: SenderOptions): Sender {
    const { chunk } = batch;
    let free = PUSHES_AT_ONCE;
    const waiting: (() => void)[] = [];
    const push = (device: number, tag: number, deadline: number, listener: PushListener): 'written' | 'busy' => {
      if (free === 0) return 'busy';
      free--;
      const name = `${chunk}.${columns.positions[device]!}`;
      this.#pushes.set(name, this.pushesTo(name) + 1);
      pushed(name);
      this.#lastRefused.delete(name);
      const { result, retryAfterMs, afterMs } = this.#answer(name, chunk);
      if (result === sent) this.#accepted.add(`${name} ${valueOf(columns, device, 0)}`);
      const latest = deadline - this.#time.now();
      if (afterMs > 5 * SECOND) this.stats.late++;
      this.#time.at(
        Math.min(afterMs, latest),
        () => {
          free++;
          if (afterMs > latest) listener.answered(tag, localResults.timeout);
          else listener.answered(tag, result, { retryAfterMs });
          waiting.shift()?.();
        },
        alive,
      );
      return 'written';
    };
    return {
      credential: `fingerprint-${chunk}`,
      settings: { reference: `credential-${chunk}/1`, version: 1 },
      prepare: async () => {
        if (!isWithin(this.#down[chunk]!, this.#time.now())) return undefined;
        this.stats.unready++;
        throw Fault.unavailable('down');
      },
      failure: () => localResults.unreachable,
      push,
      whenReady: (run) => void waiting.push(run),
      downUntil: () => 0,
      refresh: async () => undefined,
    };
  }

  #answer(device: string, chunk: number): { result: SendResult; retryAfterMs: number; afterMs: number } {
    const now = this.#time.now();
    const answering = this.#answering.get(device);
    const afterMs = this.#random() * (this.#random() < 0.3 ? 1100 : 300);
    const throttled = this.#throttled[chunk]!;
    if (isWithin(throttled, now)) {
      this.stats.throttled++;
      this.#refused(device);
      return { result: unavailable, retryAfterMs: throttled[1] - now, afterMs };
    }
    if (answering === 'dead') return { result: unregistered, retryAfterMs: 0, afterMs };
    if (answering === 'slow') return { result: sent, retryAfterMs: 0, afterMs: this.#random() * SLOWEST };
    if (answering === 'silent' && this.pushesTo(device) === 1)
      return { result: sent, retryAfterMs: 0, afterMs: Infinity };
    if (answering !== 'busy') return { result: sent, retryAfterMs: 0, afterMs };
    if (!this.#busyUntil.has(device)) this.#busyUntil.set(device, now + (3 + Math.floor(this.#random() * 20)) * SECOND);
    const remainingMs = this.#busyUntil.get(device)! - now;
    if (remainingMs <= 0) return { result: sent, retryAfterMs: 0, afterMs };
    this.#refused(device);
    return { result: tooMany, retryAfterMs: remainingMs, afterMs };
  }

  #refused(device: string): void {
    this.#refusals.set(device, this.refusalsOf(device) + 1);
    this.#lastRefused.add(device);
  }
}
