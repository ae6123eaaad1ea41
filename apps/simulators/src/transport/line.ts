import { constants, type IncomingHttpHeaders, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2';

/** State on node's own object: a map from sessions would cost more than everything else. */
export interface Line extends ServerHttp2Session {
  streams: number;
  highest: number;
  /** Served after GOAWAY; 0 before. */
  last: number;
  /** Without GOAWAY. */
  hangUp: () => void;
}

export interface Exchange extends ServerHttp2Stream {
  line: Line;
  requestHeaders: IncomingHttpHeaders;
  received: Buffer | undefined;
}

const LINGER_MS = 1000;
const GOODBYE = Buffer.from('{"reason":"Shutdown"}');

export const asLine = (session: ServerHttp2Session, hangUp: () => void): Line =>
  Object.assign(session, { streams: 0, highest: 0, last: 0, hangUp });

/** Streams up to `last` are still served. Node's `close` may name a later stream in a second GOAWAY, which the protocol forbids. */
export const announceEnd = (line: Line, last: number): void => {
  if (line.last > 0 || line.destroyed) return;
  line.last = last;
  line.goaway(constants.NGHTTP2_NO_ERROR, last, GOODBYE);
  setTimeout(line.hangUp, LINGER_MS).unref();
};

/** Refuses the stream itself if later ones are being served already. */
export const leaveOut = (stream: Exchange): void => {
  const { line, id = 0 } = stream;
  const isLast = id === line.highest && id > 1;
  if (!isLast) stream.close(constants.NGHTTP2_REFUSED_STREAM);
  announceEnd(line, isLast ? id - 2 : line.highest);
};

const ending: Exchange[] = [];

/** Ends before the last write is reported: closing costs node an error object, 3 µs each. */
export const endSoon = (stream: Exchange): void => {
  if (ending.push(stream) > 1) return;
  setImmediate(() => {
    for (const each of ending.splice(0)) if (!each.destroyed) each.end();
  });
};
