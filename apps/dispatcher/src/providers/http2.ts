import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  constants,
  type IncomingHttpHeaders,
} from 'node:http2';
import type { ConnectionOptions } from 'node:tls';

/**
 * One connection to a provider at a time, renewed when it breaks or the provider drains it. The rest of the dispatcher knows this port
 * only: a client that writes frames itself can take its place.
 */
export interface ProviderConnection {
  /** Whether a request would be written now. Opens the connection if it is not open. */
  ready(): boolean;
  /**
   * Writes a POST, or returns false where no stream is free or the connection is not open. The body must not change any more. The exchange
   * hears exactly once what became of it, never before this returns.
   * @param headers names in lower case and values in turn, without those that begin with a colon
   */
  request(path: string, headers: readonly string[], body: Uint8Array, exchange: Exchange): boolean;
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

/** What became of a request. */
export interface Exchange {
  /** When to give up, in milliseconds of the system's clock. */
  readonly deadline: number;
  /** `body` is read for statuses other than 200 only, and cut to 16 KiB. */
  answered(status: number, headers: IncomingHttpHeaders, body: string): void;
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
const BODY_MAX = 16_384;
/** A connection has 2^30 stream numbers. */
const REQUESTS_MAX = 2 ** 29;
const WINDOW_BYTES = 1 << 20;
/** node:http2 refuses streams of a session that holds more. */
const MEMORY_MB = 1000;
const STREAM_OPTIONS = { endStream: false } as const;
const OK = 200;

/** What a stream carries for its handlers: they are functions of the module, not closures per request. */
interface Request {
  readonly exchange: Exchange;
  readonly link: Link;
  status: number;
  headers: IncomingHttpHeaders | undefined;
  body: string;
  done: boolean;
}
const REQUEST = Symbol('request');
type Stream = ClientHttp2Stream & { [REQUEST]: Request };

function onResponse(this: ClientHttp2Stream, headers: IncomingHttpHeaders): void {
  const request = (this as Stream)[REQUEST];
  request.link.heardAt = Date.now();
  request.status = Number(headers[':status']);
  if (request.status === OK) {
    finish(request);
    request.exchange.answered(OK, headers, '');
    this.resume();
    return;
  }
  request.headers = headers;
  this.setEncoding('utf8');
  this.on('data', onData);
}

function onData(this: ClientHttp2Stream, chunk: string): void {
  const request = (this as Stream)[REQUEST];
  if (request.body.length < BODY_MAX) request.body += chunk.slice(0, BODY_MAX - request.body.length);
}

function onEnd(this: ClientHttp2Stream): void {
  const request = (this as Stream)[REQUEST];
  if (request.headers === undefined || !finish(request)) return;
  request.exchange.answered(request.status, request.headers, request.body);
}

/** The error comes with what `close` tells, too. */
const ignore = (): void => undefined;

function onClose(this: ClientHttp2Stream): void {
  const request = (this as Stream)[REQUEST];
  const { link } = request;
  link.streams.delete(this as Stream);
  if (finish(request)) {
    const unprocessed =
      this.id === undefined ||
      this.rstCode === constants.NGHTTP2_REFUSED_STREAM ||
      (link.lastStreamId !== undefined && this.id > link.lastStreamId);
    request.exchange.failed(unprocessed ? 'unprocessed' : 'lost');
  }
  link.freed();
}

/** True for the first who says so. */
function finish(request: Request): boolean {
  if (request.done) return false;
  request.done = true;
  return true;
}

/** One session, from its first request to its last. */
interface Link {
  readonly session: ClientHttp2Session;
  readonly epoch: number;
  readonly streams: Set<Stream>;
  requests: number;
  heardAt: number;
  /** The last stream that the provider serves, once it has said so. */
  lastStreamId: number | undefined;
  freed(): void;
}

/** The client over node:http2. */
export class Http2Connection implements ProviderConnection {
  readonly #settings: ConnectionSettings;
  readonly #pseudo: readonly string[];
  readonly #links = new Set<Link>();
  #current: Link | undefined;
  #connecting: ClientHttp2Session | undefined;
  #epoch = 0;
  #failures = 0;
  #downUntil = 0;
  #waiting: (() => void)[] = [];
  #watch: NodeJS.Timeout | undefined;
  #lookedAt = 0;
  #busyAt = 0;
  #closed = false;

  constructor(settings: ConnectionSettings) {
    this.#settings = settings;
    const { protocol, host } = new URL(settings.url);
    this.#pseudo = [':method', 'POST', ':scheme', protocol.slice(0, -1), ':authority', host];
  }

  get epoch(): number {
    return this.#epoch;
  }

  ready(): boolean {
    const link = this.#usable();
    return link !== undefined && link.streams.size < this.#limit(link);
  }

  request(path: string, headers: readonly string[], body: Uint8Array, exchange: Exchange): boolean {
    const link = this.#usable();
    if (!link || link.streams.size >= this.#limit(link)) return false;
    const stream = link.session.request([...this.#pseudo, ':path', path, ...headers], STREAM_OPTIONS) as Stream;
    if (++link.requests === REQUESTS_MAX) this.renew(link.epoch);
    stream[REQUEST] = { exchange, link, status: 0, headers: undefined, body: '', done: false };
    link.streams.add(stream);
    stream.on('response', onResponse);
    stream.on('end', onEnd);
    stream.on('error', ignore);
    stream.on('close', onClose);
    stream.end(body);
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
    const link = this.#current;
    if (link?.epoch !== epoch) return;
    this.#current = undefined;
    link.session.close();
  }

  close(): void {
    this.#closed = true;
    clearInterval(this.#watch);
    this.#connecting?.destroy();
    for (const { session } of this.#links) session.destroy();
    this.#wakeAll();
  }

  #limit({ session }: Link): number {
    return Math.min(session.remoteSettings.maxConcurrentStreams ?? Infinity, this.#settings.maxStreams ?? 1000);
  }

  /** The open session; without one, begins to open one unless it is to wait. */
  #usable(): Link | undefined {
    const link = this.#current;
    if (link && !link.session.closed && !link.session.destroyed) return link;
    this.#current = undefined;
    if (!this.#connecting && !this.#closed && Date.now() >= this.#downUntil) this.#connect();
    return undefined;
  }

  #connect(): void {
    const { url, tls } = this.#settings;
    const session = connect(url, {
      ...tls,
      settings: { enablePush: false, initialWindowSize: WINDOW_BYTES },
      maxSessionMemory: MEMORY_MB,
    });
    this.#connecting = session;
    const link: Link = {
      session,
      epoch: ++this.#epoch,
      streams: new Set(),
      requests: 0,
      heardAt: Date.now(),
      lastStreamId: undefined,
      freed: () => this.#wake(),
    };
    this.#links.add(link);
    const timer = setTimeout(() => session.destroy(), CONNECT_TIMEOUT_MS);
    session.once('remoteSettings', () => {
      clearTimeout(timer);
      if (this.#connecting !== session) return;
      session.setLocalWindowSize(WINDOW_BYTES * 16);
      link.heardAt = Date.now();
      this.#connecting = undefined;
      this.#current = link;
      this.#failures = 0;
      this.#downUntil = 0;
      session.on('remoteSettings', () => this.#wakeAll());
      this.#wakeAll();
    });
    session.on('goaway', (_code: number, lastStreamId: number) => {
      link.lastStreamId = lastStreamId;
      if (this.#current === link) this.#current = undefined;
      this.#wakeAll();
    });
    session.on('error', ignore);
    session.once('close', () => {
      clearTimeout(timer);
      this.#links.delete(link);
      if (this.#current === link) this.#current = undefined;
      if (this.#connecting === session) this.#failed();
      this.#wakeAll();
    });
  }

  #failed(): void {
    this.#connecting = undefined;
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
    for (const link of this.#links) {
      busy += link.streams.size;
      for (const stream of link.streams) {
        const request = stream[REQUEST];
        if (request.exchange.deadline <= now && finish(request)) {
          request.exchange.failed('timeout');
          stream.close(constants.NGHTTP2_CANCEL);
        }
      }
      if (link.streams.size > 0 && now - link.heardAt > SILENCE_MS) ping(link, now);
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
      const link = this.#current;
      if (!link || link.streams.size >= this.#limit(link)) return;
      this.#waiting.shift()?.();
    }
  }

  #wakeAll(): void {
    for (const run of this.#waiting.splice(0)) run();
  }
}

function ping(link: Link, now: number): void {
  // The next look is due to ask again only after another second of silence.
  link.heardAt = now;
  const timer = setTimeout(() => link.session.destroy(), PING_TIMEOUT_MS);
  const sent = link.session.ping(() => {
    clearTimeout(timer);
    link.heardAt = Date.now();
  });
  if (!sent) clearTimeout(timer);
}
