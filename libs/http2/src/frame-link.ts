import { connect as connectTcp, type Socket } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { serverNameOf } from '@tidings/runtime';
import { flooded, isFlood, noHttp2 } from './connection-failure.ts';
import { decodeHeaders, isOk } from './decode-headers.ts';
import { FrameInput, type FrameSink } from './frame-input.ts';
import { FrameOutput } from './frame-output.ts';
import { CANCEL, Flag, Frame, FRAME_MAX, REFUSED_STREAM, Setting, settingsPayload } from './frames.ts';
import {
  type AnswerHeaders,
  BODY_MAX,
  type ConnectionSettings,
  type Exchange,
  type FailureCause,
  type Link,
  type LinkEvents,
  MAX_STREAMS,
  noHeaders,
  type OutgoingRequest,
} from './http2-port.ts';
import { RequestEncoder } from './request-encoder.ts';
import { openTunnelled } from './tunnelled-link.ts';
import { newStream, type Stream } from './http2-stream.ts';

const PREFACE = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n';
const DEFAULT_WINDOW = 65_535;
const WINDOW_MAX = 2 ** 31 - 1;
const STREAM_WINDOW = 1 << 20;
const CONNECTION_WINDOW = 1 << 24;
const BACKLOG_BYTES = 1 << 20;
const PATH_MAX = 8_192;
const GO_AWAYS_MAX = 16;
const PEER_FRAME_MAX = 2 ** 24 - 1;
const IDLE_FRAMES_MAX = 50_000;
const CLOSE_MS = 5_000;
const OK = 200;

const ownSettings = settingsPayload([
  [Setting.HeaderTableSize, 0],
  [Setting.EnablePush, 0],
  [Setting.InitialWindowSize, STREAM_WINDOW],
]);

class FrameLink implements Link, FrameSink {
  readonly #socket: Socket;
  readonly #events: LinkEvents;
  readonly #encoder: RequestEncoder;
  readonly #input = new FrameInput(this);
  #idleFrames = 0;
  readonly #output: FrameOutput;
  readonly #write: (target: Buffer, at: number) => number;
  readonly #maxStreams: number;
  readonly #streams = new Map<number, Stream>();
  #opened = false;
  #draining = false;
  #ended = false;
  #error: Error | undefined;
  #nextId = 1;
  #peerStreams = Infinity;
  #peerWindow = DEFAULT_WINDOW;
  #peerFrame = FRAME_MAX;
  #window = DEFAULT_WINDOW;
  #read = 0;
  #goAways = 0;
  readonly #stuck = new Set<Stream>();
  receivedAt = performance.now();
  proven = false;

  constructor(settings: ConnectionSettings, events: LinkEvents, tunnel: Socket | undefined) {
    const { url, tls, lookup, maxStreams = MAX_STREAMS } = settings;
    const { protocol, hostname, host, port } = new URL(url);
    const secure = protocol === 'https:';
    const name = hostname.replace(/^\[|\]$/g, '');
    const address = { host: name, port: Number(port) || (secure ? 443 : 80), ...(lookup ? { lookup } : {}) };
    this.#events = events;
    this.#maxStreams = maxStreams;
    this.#encoder = new RequestEncoder(secure, host);
    this.#write = (target, at) => this.#encoder.write(target, at);
    this.#socket = secure
      ? connectTls(
          {
            ...serverNameOf(name),
            ...tls,
            ALPNProtocols: ['h2'],
            // TLS compares the certificate of a literal address with `host`.
            ...(tunnel ? { host: name, socket: tunnel } : address),
          },
          () => this.#onConnect(),
        )
      : connectTcp(address, () => this.#onConnect());
    this.#output = new FrameOutput(this.#socket);
    this.#socket.setNoDelay(true);
    this.#socket.on('data', (chunk: Buffer) => this.#onData(chunk));
    this.#socket.on('drain', () => events.room());
    this.#socket.on('error', (error) => (this.#error ??= error));
    this.#socket.on('end', () => this.#socket.destroy());
    this.#socket.once('close', () => this.#onClose());
  }

  get busy(): number {
    return this.#streams.size;
  }

  ready(): boolean {
    const open = this.#opened && !this.#draining && !this.#ended;
    const { size } = this.#streams;
    const free = size < this.#maxStreams && size < this.#peerStreams && this.#stuck.size === 0;
    return open && free && this.#socket.writableLength < BACKLOG_BYTES;
  }

  request({ path, shared, own }: OutgoingRequest, body: Uint8Array, exchange: Exchange): boolean {
    if (!this.ready()) return false;
    if (path.length > PATH_MAX) throw new RangeError('http2: path too long');
    const bound = this.#encoder.prepare(path, shared, own);
    const id = this.#nextId;
    this.#nextId += 2;
    this.#output.begin(exchange, id, bound, this.#write);
    const stream = newStream(id, exchange, body);
    this.#streams.set(id, stream);
    this.#send(stream);
    if (stream.unsent) this.#stuck.add(stream);
    return true;
  }

  expire(now: number): void {
    const busy = this.#streams.size;
    for (const stream of this.#streams.values()) {
      if (stream.exchange.deadline > now) continue;
      this.#output.number(Frame.RstStream, stream.id, CANCEL);
      if (stream.status === 0) this.#fail(stream, 'timeout');
      else this.#onEnd(stream);
    }
    if (this.#streams.size < busy) this.#events.room();
    this.#endIfDone();
  }

  ping(): void {
    this.#output.frame(Frame.Ping, 0, 0, new Uint8Array(8));
  }

  drain(): void {
    this.#draining = true;
    this.#endIfDone();
  }

  destroy(error?: Error): void {
    this.#error ??= error;
    this.#socket.destroy();
  }

  onFrame(): void {
    if (++this.#idleFrames > IDLE_FRAMES_MAX) throw flooded('the provider sends frames and answers nothing');
  }

  onHeaders(id: number, flags: number, block: Buffer): void {
    const stream = this.#streams.get(id);
    // The provider's table is empty, so headers may be skipped.
    if (!stream) return;
    if (stream.status === 0) {
      if (isOk(block)) this.#onOk(stream);
      else this.#onRefusal(stream, decodeHeaders(block));
    }
    if (flags & Flag.EndStream) this.#onEnd(stream);
  }

  onBody(id: number, flags: number, frameBytes: number, part: Buffer): void {
    this.#read += frameBytes;
    const stream = this.#streams.get(id);
    if (!stream) return;
    // Copied, so that the larger chunk is not retained.
    if (stream.status !== OK && part.length > 0) (stream.body ??= []).push(Buffer.from(part));
    stream.bodyBytes += part.length;
    if (flags & Flag.EndStream) this.#onEnd(stream);
    else if (stream.bodyBytes >= BODY_MAX) {
      // Declining the rest frees the stream.
      this.#output.number(Frame.RstStream, id, CANCEL);
      this.#onEnd(stream);
    }
  }

  onReset(id: number, code: number): void {
    const stream = this.#streams.get(id);
    if (!stream) return;
    if (stream.status !== 0) this.#onEnd(stream);
    else this.#fail(stream, code === REFUSED_STREAM ? 'unprocessed' : 'lost');
  }

  onSettings(payload: Buffer): void {
    for (let at = 0; at + 6 <= payload.length; at += 6) {
      this.#onSetting(payload.readUInt16BE(at), payload.readUInt32BE(at + 2));
    }
    this.#output.acknowledge(Frame.Settings, new Uint8Array());
    if (this.#opened) this.#events.room();
    else {
      this.#opened = true;
      this.#events.opened();
    }
  }

  onPing(flags: number, payload: Buffer): void {
    if ((flags & Flag.Ack) === 0) this.#output.acknowledge(Frame.Ping, payload);
  }

  onGoAway(lastId: number): void {
    if (++this.#goAways > GO_AWAYS_MAX) throw flooded('the provider ends the connection again and again');
    this.#draining = true;
    if (lastId > 0) this.proven = true;
    this.#events.draining();
    for (const stream of this.#streams.values()) if (stream.id > lastId) this.#fail(stream, 'unprocessed');
  }

  onWindow(id: number, increment: number): void {
    if (id === 0) {
      this.#window += increment;
      if (this.#window > WINDOW_MAX) throw new RangeError('http2: window too large');
    } else {
      const stream = this.#streams.get(id);
      if (stream) stream.window += increment;
    }
    this.#sendStuck();
  }

  #onConnect(): void {
    const { encrypted, alpnProtocol } = this.#socket as Partial<TLSSocket>;
    if (encrypted && alpnProtocol !== 'h2') {
      this.destroy(noHttp2('the provider does not offer HTTP/2'));
      return;
    }
    this.#output.text(PREFACE);
    this.#output.frame(Frame.Settings, 0, 0, ownSettings);
    this.#output.number(Frame.WindowUpdate, 0, CONNECTION_WINDOW - DEFAULT_WINDOW);
  }

  #onClose(): void {
    this.#ended = true;
    for (const stream of this.#streams.values()) {
      this.#fail(stream, stream.id > this.#output.flushedStream ? 'unprocessed' : 'lost');
    }
    this.#events.closed(this.#error);
  }

  #onData(chunk: Buffer): void {
    this.receivedAt = performance.now();
    const busy = this.#streams.size;
    try {
      this.#input.take(chunk);
    } catch (error) {
      const isExpected = this.#opened || isFlood(error);
      this.destroy(isExpected ? (error as Error) : noHttp2('the provider does not speak HTTP/2'));
      return;
    }
    if (this.#read > CONNECTION_WINDOW / 2) {
      this.#output.number(Frame.WindowUpdate, 0, this.#read);
      this.#read = 0;
    }
    if (this.#streams.size < busy) this.#events.room();
    this.#endIfDone();
  }

  #onSetting(id: number, value: number): void {
    switch (id) {
      case Setting.HeaderTableSize:
        this.#encoder.limit(value);
        break;
      case Setting.MaxConcurrentStreams:
        this.#peerStreams = value;
        break;
      case Setting.InitialWindowSize:
        if (value > WINDOW_MAX) throw new RangeError('http2: window too large');
        this.#peerWindow = value;
        this.#sendStuck();
        break;
      case Setting.MaxFrameSize:
        if (value < FRAME_MAX || value > PEER_FRAME_MAX) throw new RangeError('http2: wrong frame size');
        this.#peerFrame = value;
        break;
      default:
        break;
    }
  }

  #onOk(stream: Stream): void {
    this.#idleFrames = 0;
    stream.status = OK;
    stream.done = true;
    this.proven = true;
    stream.exchange.answered(OK, noHeaders, '');
  }

  #onRefusal(stream: Stream, headers: AnswerHeaders): void {
    const status = Number(headers[':status']);
    if (status === OK) this.#onOk(stream);
    else if (status < 100 || status >= 200) {
      stream.status = status;
      stream.headers = headers;
    }
  }

  #onEnd(stream: Stream): void {
    if (stream.status === 0) {
      this.#fail(stream, 'lost');
      return;
    }
    this.#idleFrames = 0;
    this.#forget(stream);
    if (stream.done) return;
    stream.done = true;
    this.proven = true;
    const body = stream.body ? Buffer.concat(stream.body).toString('utf8', 0, BODY_MAX) : '';
    stream.exchange.answered(stream.status, stream.headers, body);
  }

  #forget(stream: Stream): void {
    this.#streams.delete(stream.id);
    if (stream.unsent) this.#stuck.delete(stream);
    stream.unsent = undefined;
  }

  #fail(stream: Stream, cause: FailureCause): void {
    this.#forget(stream);
    if (stream.done) return;
    stream.done = true;
    stream.exchange.failed(cause);
  }

  #send(stream: Stream): void {
    while (stream.unsent) {
      const { unsent } = stream;
      const bytes = Math.max(
        0,
        Math.min(unsent.length, this.#window, this.#peerWindow + stream.window, this.#peerFrame),
      );
      if (bytes === 0 && unsent.length > 0) return;
      const last = bytes === unsent.length;
      stream.unsent = last ? undefined : unsent.subarray(bytes);
      if (last) this.#stuck.delete(stream);
      this.#window -= bytes;
      stream.window -= bytes;
      const part = last ? unsent : unsent.subarray(0, bytes);
      this.#output.body(stream.exchange, last ? Flag.EndStream : 0, stream.id, part);
    }
  }

  #sendStuck(): void {
    if (this.#stuck.size === 0) return;
    for (const stream of this.#stuck) this.#send(stream);
    if (this.#stuck.size === 0) this.#events.room();
  }

  #endIfDone(): void {
    if (!this.#draining || this.#streams.size > 0 || this.#ended) return;
    this.#ended = true;
    this.#output.frame(Frame.GoAway, 0, 0, Buffer.alloc(8));
    this.#output.flush();
    this.#socket.end();
    this.#socket.setTimeout(CLOSE_MS, () => this.destroy());
  }
}

export const openFrameLink = (settings: ConnectionSettings, events: LinkEvents): Link =>
  openTunnelled(settings, events, (tunnel) => new FrameLink(settings, events, tunnel));
