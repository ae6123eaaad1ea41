import {
  constants,
  createServer,
  type Http2Server,
  type IncomingHttpHeaders,
  type ServerHttp2Stream,
} from 'node:http2';
import type { ProviderFaults } from '../provider-faults.ts';
import type { Answer, Provider, Reaction } from '../provider.ts';
import type { Outbox } from './outbox.ts';
import { announceEnd, asLine, endSoon, type Exchange, leaveOut, type Line } from './line.ts';

export interface Http2Options {
  readonly provider: Provider;
  readonly faults: Readonly<ProviderFaults>;
  readonly outbox: Outbox;
  readonly maxConcurrentStreams: number;
  /** Called for a stream that was reset unread. */
  readonly countReset: () => void;
  readonly hangUp: (remotePort: number | undefined) => void;
  readonly disconnect: (remotePort: number | undefined) => void;
}

const EMPTY = Buffer.alloc(0);
/** Further bytes are dropped; every provider refuses far smaller bodies. */
const MOST_BYTES = 1 << 20;
const endStream = { endStream: true };

const ignore = (): void => undefined;

function collect(this: Exchange, chunk: Buffer): void {
  if (this.received === undefined) this.received = chunk;
  else if (this.received.length < MOST_BYTES) this.received = Buffer.concat([this.received, chunk]);
}

const answer = (stream: Exchange, { status, headers, body, goaway }: Answer): void => {
  if (stream.destroyed || stream.closed) return;
  const all = [':status', String(status), ...headers];
  if (body === '') {
    stream.respond(all, endStream);
  } else {
    stream.respond(all);
    stream.write(body);
    endSoon(stream);
  }
  if (goaway === true) announceEnd(stream.line, stream.line.highest);
};

const nth = (every: number, number: number): boolean => every > 0 && number % every === 0;

export const serveHttp2 = (options: Http2Options): Http2Server => {
  const { provider, faults, outbox, maxConcurrentStreams, countReset, hangUp, disconnect } = options;

  const carryOut = (stream: Exchange, reaction: Exclude<Reaction, Answer>): void => {
    if (reaction.does === 'disconnect') disconnect(stream.line.socket.remotePort);
    else if (reaction.does === 'goaway') leaveOut(stream);
    else if (reaction.does === 'reset' && !stream.closed) {
      stream.close(reaction.processed ? constants.NGHTTP2_INTERNAL_ERROR : constants.NGHTTP2_REFUSED_STREAM);
    }
  };

  function complete(this: Exchange): void {
    // The connection broke before the request was complete.
    if (this.aborted) return;
    const headers = this.requestHeaders;
    const reaction = provider.handle({
      method: headers[':method'] ?? '',
      path: headers[':path'] ?? '',
      headers,
      body: this.received ?? EMPTY,
      connection: this.line,
    });
    this.received = undefined;
    if (reaction.does !== 'answer') outbox.post(0, () => carryOut(this, reaction));
    else if (outbox.isClear && !reaction.delayMs) answer(this, reaction);
    else outbox.post(reaction.delayMs ?? 0, () => answer(this, reaction));
  }

  const admit = (stream: ServerHttp2Stream, line: Line): boolean => {
    const id = stream.id ?? 0;
    if (line.last > 0 && id > line.last) {
      stream.close(constants.NGHTTP2_REFUSED_STREAM);
      return false;
    }
    line.highest = id;
    line.streams++;
    if (nth(faults.goawayEvery, line.streams)) announceEnd(line, id);
    if (!nth(faults.resetEvery, line.streams)) return true;
    countReset();
    stream.close(constants.NGHTTP2_INTERNAL_ERROR);
    return false;
  };

  const server = createServer({
    settings: { maxConcurrentStreams, initialWindowSize: 1 << 20 },
    maxSessionMemory: 1000,
    // Tests abort thousands of streams on purpose.
    streamResetBurst: 1_000_000,
    streamResetRate: 1_000_000,
  });
  server.on('session', (session) => {
    const { remotePort } = session.socket;
    asLine(session, () => hangUp(remotePort)).on('error', ignore);
  });
  server.on('stream', (opened: ServerHttp2Stream, headers: IncomingHttpHeaders) => {
    const stream = opened as Exchange;
    const line = stream.session as Line;
    stream.on('error', ignore);
    if (!admit(stream, line)) return;
    stream.line = line;
    stream.requestHeaders = headers;
    stream.received = undefined;
    stream.on('data', collect);
    stream.on('end', complete);
  });
  server.on('sessionError', ignore);
  return server;
};
