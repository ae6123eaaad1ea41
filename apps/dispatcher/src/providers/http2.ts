import type { ConnectionOptions } from 'node:tls';

/**
 * One connection to a provider at a time, renewed when it breaks or the provider drains it. The rest of the dispatcher knows this port
 * only; what speaks HTTP/2 behind it is a {@link Link}.
 */
export interface ProviderConnection {
  /** Whether a request would be written now. Opens the connection if it is not open. */
  ready(): boolean;
  /**
   * Writes a POST, or returns false where no stream is free or the connection is not open. The body must not change any more. The exchange
   * hears exactly once what became of it, never before this returns.
   */
  request(request: OutgoingRequest, body: Uint8Array, exchange: Exchange): boolean;
  /** Calls once, when a request may be written or the connection could not be opened. */
  whenReady(run: () => void): void;
  /** Until when it will not try to open, in milliseconds of the system's clock; 0 = it is open, or being opened. */
  downUntil(): number;
  /** Counts the connections that were opened. */
  readonly epoch: number;
  /** Takes a new connection for the next request, if that of `epoch` is still the current one; requests under way end on the old one. */
  renew(epoch: number): void;
  close(): void;
}

/** Header names are in lower case and stand before their values. */
export interface OutgoingRequest {
  readonly path: string;
  /** Headers that many requests share, in an array that they share, too. */
  readonly shared: readonly string[];
  /** Headers of this request alone. */
  readonly own: readonly string[];
}

/** Headers of an answer; those of a 200 are not read. */
export type AnswerHeaders = Readonly<Record<string, string | undefined>>;

/** What became of a request. */
export interface Exchange {
  /** When to give up, in milliseconds of the system's clock. */
  readonly deadline: number;
  /** Asked when it is handed to the socket: since it was written the process may have stood still, and somebody else gone on. */
  mayGo(): boolean;
  /** `body` is read for statuses other than 200 only, and cut to 16 KiB. */
  answered(status: number, headers: AnswerHeaders, body: string): void;
  failed(cause: FailureCause): void;
}

/** `unprocessed`: the provider has not looked at it, so that repeating is safe. `lost`: it may have. */
export type FailureCause = 'unprocessed' | 'lost' | 'timeout';

export interface ConnectionSettings {
  /** `http://` means HTTP/2 without TLS. */
  readonly url: string;
  /** Certificates of the client and further authorities; without meaning for `http://`. */
  readonly tls?: ConnectionOptions | undefined;
  /** Streams open at a time at most, whatever the provider allows. @default 1000 */
  readonly maxStreams?: number;
}

/** One HTTP/2 connection, from its first request to its last. */
export interface Link {
  /** Streams under way. */
  readonly busy: number;
  /** When something was last heard of the provider, in milliseconds of the system's clock. */
  readonly heardAt: number;
  /** Whether the provider has served any request. */
  readonly proven: boolean;
  ready(): boolean;
  request(request: OutgoingRequest, body: Uint8Array, exchange: Exchange): boolean;
  /** Fails requests whose time is over. */
  expire(now: number): void;
  /** Asks whether somebody is there, and breaks the connection when nobody answers in time. */
  ping(timeoutMs: number): void;
  /** Takes no further request and closes when the last is answered. */
  drain(): void;
  destroy(): void;
}

/** What a link tells. `opened` comes once at most, `closed` once and last. */
export interface LinkEvents {
  /** Requests may be written. */
  opened(): void;
  /** A stream has become free, or the provider allows more. */
  room(): void;
  /** The provider takes no further request. */
  draining(): void;
  closed(): void;
}

export type OpenLink = (settings: ConnectionSettings, events: LinkEvents) => Link;

export const MAX_STREAMS = 1000;
/** Bytes of an answer's body that are kept. */
export const BODY_MAX = 16_384;
export const noHeaders: AnswerHeaders = {};

const CONNECT_TIMEOUT_MS = 5_000;
const BACK_OFF_MIN_MS = 100;
const BACK_OFF_MAX_MS = 5_000;
/** With requests under way and nothing heard for so long, a PING asks whether somebody is there. */
const SILENCE_MS = 1_000;
const PING_TIMEOUT_MS = 2_000;
const IDLE_MS = 600_000;
const WATCH_MS = 250;
/** A look that is so late tells that the process stood still. */
const PAUSE_MS = 250;
/** A connection has 2^30 stream numbers. */
const REQUESTS_MAX = 2 ** 29;

interface Entry {
  readonly link: Link;
  readonly epoch: number;
  readonly timer: NodeJS.Timeout;
  requests: number;
  pingedAt: number;
}

/** Keeps a link open: reconnects with back-off, asks silent providers, gives up what takes too long, and hands out streams in turn. */
export class Http2Connection implements ProviderConnection {
  readonly #settings: ConnectionSettings;
  readonly #open: OpenLink;
  readonly #entries = new Set<Entry>();
  #current: Entry | undefined;
  #connecting: Entry | undefined;
  #epoch = 0;
  #failures = 0;
  #downUntil = 0;
  #waiting: (() => void)[] = [];
  #watch: NodeJS.Timeout | undefined;
  #lookedAt = 0;
  #busyAt = 0;
  #closed = false;

  constructor(settings: ConnectionSettings, open: OpenLink) {
    this.#settings = settings;
    this.#open = open;
  }

  get epoch(): number {
    return this.#epoch;
  }

  ready(): boolean {
    return this.#usable()?.link.ready() ?? false;
  }

  request(request: OutgoingRequest, body: Uint8Array, exchange: Exchange): boolean {
    const entry = this.#usable();
    if (!entry?.link.request(request, body, exchange)) return false;
    if (++entry.requests === REQUESTS_MAX) this.renew(entry.epoch);
    if (!this.#watch) {
      this.#lookedAt = Date.now();
      this.#watch = setInterval(() => this.#look(), WATCH_MS).unref();
    }
    return true;
  }

  whenReady(run: () => void): void {
    this.#waiting.push(run);
    // It may have become possible, or impossible, since the caller tried.
    if (this.#usable()) queueMicrotask(() => this.#wake());
    else if (!this.#connecting) queueMicrotask(() => this.#wakeAll());
  }

  downUntil(): number {
    if (this.#closed) return Infinity;
    return this.#usable() || this.#connecting ? 0 : this.#downUntil;
  }

  renew(epoch: number): void {
    const entry = this.#current;
    if (entry?.epoch !== epoch) return;
    this.#current = undefined;
    entry.link.drain();
  }

  close(): void {
    this.#closed = true;
    clearInterval(this.#watch);
    for (const { link } of this.#entries) link.destroy();
    this.#wakeAll();
  }

  /** The open link; without one, begins to open one unless it is to wait. */
  #usable(): Entry | undefined {
    if (this.#current) return this.#current;
    if (!this.#connecting && !this.#closed && Date.now() >= this.#downUntil) this.#connect();
    return undefined;
  }

  #connect(): void {
    const epoch = ++this.#epoch;
    const link = this.#open(this.#settings, {
      opened: () => this.#opened(entry),
      room: () => this.#wake(),
      draining: () => this.#ending(entry),
      closed: () => {
        clearTimeout(entry.timer);
        this.#entries.delete(entry);
        this.#ending(entry);
      },
    });
    const timer = setTimeout(() => link.destroy(), CONNECT_TIMEOUT_MS);
    const entry: Entry = { link, epoch, timer, requests: 0, pingedAt: 0 };
    this.#entries.add(entry);
    this.#connecting = entry;
  }

  #opened(entry: Entry): void {
    clearTimeout(entry.timer);
    if (this.#connecting !== entry) return;
    this.#connecting = undefined;
    this.#current = entry;
    this.#downUntil = 0;
    this.#wakeAll();
  }

  /** A link that served nothing counts as failed, also one that opened: else it would be opened again and again. */
  #ending(entry: Entry): void {
    if (entry.link.proven) this.#failures = 0;
    else if (this.#connecting === entry || this.#current === entry) this.#backOff();
    if (this.#connecting === entry) this.#connecting = undefined;
    if (this.#current === entry) this.#current = undefined;
    this.#wakeAll();
  }

  #backOff(): void {
    const wait = Math.min(BACK_OFF_MAX_MS, BACK_OFF_MIN_MS * 2 ** this.#failures);
    this.#failures++;
    this.#downUntil = Date.now() + wait * (0.8 + 0.4 * Math.random());
  }

  /** Gives up what took too long, and asks silent providers whether they are there. */
  #look(): void {
    const now = Date.now();
    const paused = now - this.#lookedAt > WATCH_MS + PAUSE_MS;
    this.#lookedAt = now;
    // After a pause of the process the answers are still in the socket.
    if (paused) return;
    let busy = 0;
    for (const entry of this.#entries) {
      busy += entry.link.busy;
      entry.link.expire(now);
      const silentSince = Math.max(entry.link.heardAt, entry.pingedAt);
      if (entry.link.busy > 0 && now - silentSince > SILENCE_MS) {
        entry.pingedAt = now;
        entry.link.ping(PING_TIMEOUT_MS);
      }
    }
    if (busy > 0) this.#busyAt = now;
    else if (now - this.#busyAt > IDLE_MS) this.#rest();
  }

  /** Nobody has used it for long: lets it go until somebody does. */
  #rest(): void {
    clearInterval(this.#watch);
    this.#watch = undefined;
    if (this.#current) this.renew(this.#current.epoch);
  }

  /** Lets those who wait write, in turn, as long as streams are free. */
  #wake(): void {
    for (let turns = this.#waiting.length; turns > 0; turns--) {
      if (!this.#current?.link.ready()) return;
      this.#waiting.shift()?.();
    }
  }

  #wakeAll(): void {
    for (const run of this.#waiting.splice(0)) run();
  }
}
