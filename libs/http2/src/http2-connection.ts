import { systemLookup } from '@tidings/runtime';
import { type FailedOpening, failedOpening, isFlood } from './connection-failure.ts';
import { Liveness } from './liveness.ts';
import type {
  ConnectionSettings,
  ConnectionTiming,
  Exchange,
  Link,
  OpenLink,
  OutgoingRequest,
  ProviderConnection,
} from './http2-port.ts';
import { needsProxy } from './proxy-tunnel.ts';
import { turnedLookup } from './turned-lookup.ts';

const defaultTiming: ConnectionTiming = {
  connectMs: 5_000,
  silenceMs: 1_000,
  pingMs: 2_000,
  graceMs: 2_000,
  watchMs: 250,
};
const BACK_OFF_MIN_MS = 100;
const BACK_OFF_MAX_MS = 2_000;
const IDLE_MS = 600_000;
/** The process was frozen if a check is this late. */
const PAUSE_MS = 250;
const REQUESTS_MAX = 2 ** 29;

interface Entry {
  readonly link: Link;
  readonly liveness: Liveness;
  readonly epoch: number;
  readonly timer: NodeJS.Timeout;
  requests: number;
  retired: boolean;
}

/** Requests of a silent link are lost only when another one has opened and it stays silent. */
export class Http2Connection implements ProviderConnection {
  readonly #settings: ConnectionSettings;
  readonly #timing: ConnectionTiming;
  readonly #open: OpenLink;
  readonly #entries = new Set<Entry>();
  #current: Entry | undefined;
  #connecting: Entry | undefined;
  #epoch = 0;
  #failures = 0;
  #offset = 0;
  #downUntil = 0;
  #lastFailure: FailedOpening | undefined;
  #waiting: (() => void)[] = [];
  #called: (() => void) | undefined;
  #watch: NodeJS.Timeout | undefined;
  #checkedAt = 0;
  #busyAt = 0;
  #closed = false;

  constructor(settings: ConnectionSettings, open: OpenLink) {
    const { lookup = systemLookup } = settings;
    const isNamed = settings.lookup === undefined && needsProxy(settings, settings.proxy);
    this.#settings = isNamed ? settings : { ...settings, lookup: turnedLookup(lookup, () => this.#offset) };
    this.#timing = { ...defaultTiming, ...settings.timing };
    this.#open = open;
  }

  get epoch(): number {
    return this.#current?.epoch ?? this.#epoch;
  }

  ready(): boolean {
    return this.#usable()?.link.ready() ?? false;
  }

  isOpen(): boolean {
    return this.#current !== undefined;
  }

  request(request: OutgoingRequest, body: Uint8Array, exchange: Exchange): boolean {
    const entry = this.#usable();
    if (!entry?.link.request(request, body, exchange)) return false;
    if (++entry.requests === REQUESTS_MAX) this.renew(entry.epoch);
    if (!this.#watch) {
      this.#checkedAt = this.#busyAt = performance.now();
      this.#watch = setInterval(() => this.#check(), this.#timing.watchMs).unref();
    }
    return true;
  }

  whenReady(run: () => void): void {
    // The same caller stays first, so that callers finish one by one.
    if (run === this.#called) this.#waiting.unshift(run);
    else this.#waiting.push(run);
    if (this.#usable()) queueMicrotask(() => this.#wake());
    else if (!this.#connecting) queueMicrotask(() => this.#wakeAll());
  }

  downUntil(): number {
    if (this.#closed) return Infinity;
    return this.#usable() || this.#connecting ? 0 : this.#downUntil;
  }

  lastFailure(): FailedOpening | undefined {
    return this.#lastFailure;
  }

  renew(epoch: number): void {
    // Suspect links count, too: a recovered one would be used again.
    for (const entry of this.#entries) {
      if (entry.epoch === epoch && entry !== this.#connecting) this.#retire(entry);
    }
  }

  close(): void {
    this.#closed = true;
    clearInterval(this.#watch);
    for (const { link } of this.#entries) link.destroy();
    this.#wakeAll();
  }

  #usable(): Entry | undefined {
    if (this.#current) return this.#current;
    if (!this.#connecting && !this.#closed && performance.now() >= this.#downUntil) this.#connect();
    return undefined;
  }

  #connect(): void {
    const epoch = ++this.#epoch;
    let link: Link;
    try {
      link = this.#open(this.#settings, {
        opened: () => this.#opened(entry),
        room: () => this.#wake(),
        draining: () => this.#ending(entry),
        closed: (error) => {
          clearTimeout(entry.timer);
          this.#entries.delete(entry);
          this.#ending(entry, error);
        },
      });
    } catch (error) {
      this.#backOff(error as Error);
      return;
    }
    const { connectMs } = this.#timing;
    const timer = setTimeout(() => link.destroy(new Error(`not open after ${connectMs} ms`)), connectMs);
    const liveness = new Liveness(link, this.#timing);
    const entry: Entry = { link, liveness, epoch, timer, requests: 0, retired: false };
    this.#entries.add(entry);
    this.#connecting = entry;
  }

  #opened(entry: Entry): void {
    clearTimeout(entry.timer);
    if (this.#connecting !== entry) return;
    this.#connecting = undefined;
    this.#use(entry);
  }

  #use(entry: Entry): void {
    this.#current = entry;
    this.#downUntil = 0;
    this.#lastFailure = undefined;
    this.#wakeAll();
  }

  #retire(entry: Entry): void {
    entry.retired = true;
    if (this.#current === entry) this.#current = undefined;
    entry.link.drain();
  }

  /** A link that served nothing, or was flooded, counts as failed, or it would be reopened at once. */
  #ending(entry: Entry, error?: Error): void {
    entry.retired = true;
    if (this.#connecting !== entry && this.#current !== entry) return;
    if (this.#connecting === entry) this.#connecting = undefined;
    else this.#current = undefined;
    if (entry.link.proven && !isFlood(error)) this.#failures = 0;
    else this.#backOff(error);
    this.#wakeAll();
  }

  #backOff(error: Error | undefined): void {
    if (this.#closed) return;
    const now = performance.now();
    const wait = Math.min(BACK_OFF_MAX_MS, BACK_OFF_MIN_MS * 2 ** this.#failures);
    this.#failures++;
    this.#offset++;
    this.#downUntil = now + wait * (0.8 + 0.4 * Math.random());
    this.#lastFailure = failedOpening(error, now);
    this.#settings.onFailure?.(this.#lastFailure, hostOf(this.#settings.url));
  }

  #check(): void {
    const now = performance.now();
    const paused = now - this.#checkedAt > this.#timing.watchMs + PAUSE_MS;
    this.#checkedAt = now;
    // After a freeze of the process, answers are still in the socket.
    if (paused) {
      for (const { liveness } of this.#entries) liveness.paused(now);
      return;
    }
    let busy = 0;
    for (const entry of this.#entries) {
      entry.link.expire(now);
      this.#judge(entry, now);
      busy += entry.link.busy;
    }
    if (busy > 0) this.#busyAt = now;
    else if (now - this.#busyAt > IDLE_MS) this.#closeIdle();
  }

  #judge(entry: Entry, now: number): void {
    const { link, liveness } = entry;
    const aliveAt = this.#current?.link.receivedAt ?? 0;
    switch (liveness.check(now, aliveAt)) {
      case 'suspected':
        if (this.#current === entry) this.#current = undefined;
        break;
      case 'recovered':
        this.#recovered(entry);
        break;
      case 'dead':
        link.destroy(new Error('silent'));
        break;
      case undefined:
        break;
    }
    if (liveness.suspect && !this.#closed) this.#usable()?.liveness.probe(now, liveness.suspectedAt);
  }

  #recovered(entry: Entry): void {
    if (entry.retired) return;
    if (this.#current) {
      this.#retire(entry);
      return;
    }
    const probe = this.#connecting;
    this.#connecting = undefined;
    probe?.link.destroy();
    this.#failures = 0;
    this.#use(entry);
  }

  #closeIdle(): void {
    clearInterval(this.#watch);
    this.#watch = undefined;
    if (this.#current) this.renew(this.#current.epoch);
  }

  #wake(): void {
    for (let callers = this.#waiting.length; callers > 0; callers--) {
      if (!this.#current?.link.ready()) return;
      this.#called = this.#waiting.shift();
      this.#called?.();
      this.#called = undefined;
    }
  }

  #wakeAll(): void {
    for (const run of this.#waiting.splice(0)) run();
  }
}

const hostOf = (url: string): string => URL.parse(url)?.host ?? url;
