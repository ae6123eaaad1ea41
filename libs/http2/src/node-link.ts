import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  constants,
  type IncomingHttpHeaders,
  type SecureClientSessionOptions,
} from 'node:http2';
import type { Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { serverNameOf } from '@tidings/runtime';
import { noHttp2 } from './connection-failure.ts';
import {
  type AnswerHeaders,
  BODY_MAX,
  type ConnectionSettings,
  type Exchange,
  type Link,
  type LinkEvents,
  MAX_STREAMS,
  noHeaders,
  type OutgoingRequest,
} from './http2-port.ts';
import { openTunnelled } from './tunnelled-link.ts';

const WINDOW_BYTES = 1 << 20;
/** node:http2 refuses streams of a session that uses more memory. */
const MEMORY_MB = 1000;
const STREAM_OPTIONS = { endStream: false } as const;
const OK = 200;

interface Request {
  readonly exchange: Exchange;
  readonly link: NodeLink;
  status: number;
  headers: AnswerHeaders | undefined;
  body: string;
  received: number;
  done: boolean;
}
const REQUEST = Symbol('request');
type Stream = ClientHttp2Stream & { [REQUEST]: Request };

function onResponse(this: ClientHttp2Stream, headers: IncomingHttpHeaders): void {
  const request = (this as Stream)[REQUEST];
  request.link.received();
  request.status = Number(headers[':status']);
  if (request.status === OK) {
    finish(request);
    request.exchange.answered(OK, noHeaders, '');
  } else {
    request.headers = headers as AnswerHeaders;
    this.setEncoding('utf8');
  }
  this.on('data', onData);
}

function onData(this: ClientHttp2Stream, chunk: Buffer | string): void {
  const request = (this as Stream)[REQUEST];
  request.received += chunk.length;
  if (typeof chunk === 'string') request.body += chunk.slice(0, BODY_MAX - request.body.length);
  if (request.received < BODY_MAX || this.closed) return;
  answer(request);
  this.close(constants.NGHTTP2_CANCEL);
}

function onEnd(this: ClientHttp2Stream): void {
  const request = (this as Stream)[REQUEST];
  // The end of a broken connection looks like the end of the body.
  if (!request.link.broken) answer(request);
}

function answer(request: Request): void {
  if (request.headers === undefined || !finish(request)) return;
  request.exchange.answered(request.status, request.headers, request.body);
}

/** `close` reports the error of a stream as well. */
const ignore = (): void => undefined;

function onClose(this: ClientHttp2Stream): void {
  const request = (this as Stream)[REQUEST];
  request.link.ended(this as Stream);
}

function finish(request: Request): boolean {
  if (request.done) return false;
  request.done = true;
  return true;
}

function optionsOf({ url, tls, lookup }: ConnectionSettings, tunnel: Socket | undefined): SecureClientSessionOptions {
  const options = {
    ...tls,
    ...(lookup ? { lookup } : {}),
    settings: { enablePush: false, initialWindowSize: WINDOW_BYTES },
    maxSessionMemory: MEMORY_MB,
  };
  if (!tunnel) return options;
  const host = new URL(url).hostname.replace(/^\[|\]$/g, '');
  return {
    ...options,
    createConnection: () => connectTls({ ...serverNameOf(host), ...tls, host, socket: tunnel, ALPNProtocols: ['h2'] }),
  };
}

class NodeLink implements Link {
  readonly #session: ClientHttp2Session;
  readonly #events: LinkEvents;
  readonly #pseudo: readonly string[];
  readonly #maxStreams: number;
  readonly #streams = new Set<Stream>();
  #lastStreamId: number | undefined;
  #opened = false;
  #error: Error | undefined;
  receivedAt = performance.now();
  proven = false;

  constructor(settings: ConnectionSettings, events: LinkEvents, tunnel: Socket | undefined) {
    const { url, maxStreams = MAX_STREAMS } = settings;
    const { protocol, host } = new URL(url);
    this.#pseudo = [':method', 'POST', ':scheme', protocol.slice(0, -1), ':authority', host];
    this.#events = events;
    this.#maxStreams = maxStreams;
    this.#session = connect(url, optionsOf(settings, tunnel));
    this.#session.once('connect', ({ encrypted, alpnProtocol }) => {
      if (encrypted && alpnProtocol !== 'h2') this.destroy(noHttp2('the provider does not offer HTTP/2'));
    });
    this.#session.on('remoteSettings', () => this.#onSettings());
    this.#session.on('goaway', (_code: number, lastStreamId: number) => {
      this.#lastStreamId = lastStreamId;
      if (lastStreamId > 0) this.proven = true;
      events.draining();
    });
    this.#session.on('error', (error: Error) => void (this.#error ??= error));
    this.#session.once('close', () => events.closed(this.#error));
  }

  get busy(): number {
    return this.#streams.size;
  }

  get broken(): boolean {
    return this.#session.destroyed;
  }

  received(): void {
    this.receivedAt = performance.now();
    this.proven = true;
  }

  ready(): boolean {
    const { closed, destroyed, remoteSettings } = this.#session;
    if (!this.#opened || closed || destroyed) return false;
    return this.#streams.size < Math.min(remoteSettings.maxConcurrentStreams ?? Infinity, this.#maxStreams);
  }

  request({ path, shared, own }: OutgoingRequest, body: Uint8Array, exchange: Exchange): boolean {
    if (!this.ready()) return false;
    const headers = [...this.#pseudo, ':path', path, ...shared, ...own];
    const stream = this.#session.request(headers, STREAM_OPTIONS) as Stream;
    stream[REQUEST] = { exchange, link: this, status: 0, headers: undefined, body: '', received: 0, done: false };
    this.#streams.add(stream);
    stream.on('response', onResponse);
    stream.on('end', onEnd);
    stream.on('error', ignore);
    stream.on('close', onClose);
    stream.end(body);
    return true;
  }

  expire(now: number): void {
    for (const stream of this.#streams) {
      const request = stream[REQUEST];
      if (request.exchange.deadline > now) continue;
      answer(request);
      if (finish(request)) request.exchange.failed('timeout');
      stream.close(constants.NGHTTP2_CANCEL);
    }
  }

  ping(): void {
    if (this.#session.destroyed) return;
    this.#session.ping((error) => {
      if (!error) this.receivedAt = performance.now();
    });
  }

  drain(): void {
    this.#session.close();
  }

  destroy(error?: Error): void {
    this.#error ??= error;
    this.#session.destroy();
  }

  ended(stream: Stream): void {
    this.#streams.delete(stream);
    const request = stream[REQUEST];
    if (!this.broken) answer(request);
    if (finish(request)) {
      const unprocessed =
        stream.id === undefined ||
        stream.rstCode === constants.NGHTTP2_REFUSED_STREAM ||
        (this.#lastStreamId !== undefined && stream.id > this.#lastStreamId);
      request.exchange.failed(unprocessed ? 'unprocessed' : 'lost');
    }
    this.#events.room();
  }

  #onSettings(): void {
    this.receivedAt = performance.now();
    if (this.#opened) {
      this.#events.room();
      return;
    }
    this.#opened = true;
    if (!this.#session.destroyed) this.#session.setLocalWindowSize(WINDOW_BYTES * 16);
    this.#events.opened();
  }
}

export const openNodeLink = (settings: ConnectionSettings, events: LinkEvents): Link =>
  openTunnelled(settings, events, (tunnel) => new NodeLink(settings, events, tunnel));
