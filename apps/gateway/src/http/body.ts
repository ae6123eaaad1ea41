import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { BODY_LIMIT_BYTES, SMALL_BODY_BYTES } from '@tidings/contract';
import { Fault } from '@tidings/kernel';
import { TOO_LARGE, TOO_MANY } from '../envelopes/reply.ts';

const MALFORMED = 'Malformed request string';

/** A connection cut earlier shows the caller a reset, not the refusal. */
const DISCARDING_MS = 10_000;
/** A body may arrive byte by byte, and each chunk takes many times its size. */
const LOOSE_CHUNKS = 256;
/** Required progress per {@link PACE_MS} of a large body while others wait. */
const PACE_BYTES = 1024 * 1024;
const PACE_MS = 2_000;

export function discard(request: IncomingMessage): void {
  if (request.readableEnded || request.destroyed) return;
  const timer = setTimeout(() => request.destroy(), DISCARDING_MS);
  timer.unref();
  for (const ending of ['end', 'close']) request.once(ending, () => clearTimeout(timer));
  request.resume();
}

export interface Admission {
  readonly admit: () => Promise<unknown>;
  readonly hasWaiting: () => boolean;
}

export function refuseTooLarge(request: IncomingMessage, limit: number): void {
  const length = Number(request.headers['content-length'] ?? 0);
  if (length > limit && !isGzipped(request, limit)) throw Fault.tooLarge(TOO_LARGE);
}

export function readBody(request: IncomingMessage, limit = BODY_LIMIT_BYTES): Promise<Buffer> {
  return collect(request, request, { limit });
}

const isGzipped = ({ headers }: IncomingMessage, limit: number): boolean =>
  limit > BODY_LIMIT_BYTES && headers['content-encoding']?.toLowerCase() === 'gzip';

export const maxBytesOf = (request: IncomingMessage, limit: number): number =>
  isGzipped(request, limit) ? limit : Math.min(Number(request.headers['content-length'] ?? limit), limit);

/** The limit applies to the uncompressed size. */
export function readLargeBody(request: IncomingMessage, limit: number, admission: Admission): Promise<Buffer> {
  if (!isGzipped(request, limit)) return collect(request, request, { limit, admission });
  const gunzip = createGunzip();
  request.on('error', () => gunzip.destroy(new Error('the caller closed the connection')));
  return collect(request, request.pipe(gunzip), { limit, admission }).finally(() => gunzip.destroy());
}

interface Reading {
  readonly limit: number;
  readonly admission?: Admission;
}

function collect(request: IncomingMessage, source: Readable, { limit, admission }: Reading): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  let chunks: Buffer[] = [];
  let loose: Buffer[] = [];
  let bytes = 0;
  let isOpen = true;
  let isLarge = false;
  let pace: NodeJS.Timeout | undefined;

  const stop = (): void => {
    isOpen = false;
    // The request and its listeners outlive the body.
    chunks = [];
    loose = [];
    clearInterval(pace);
    if (source !== request) request.unpipe();
    discard(request);
  };
  const refuse = (fault: Fault): void => {
    source.off('data', take);
    stop();
    reject(fault);
  };
  const onClosed = (): void => refuse(Fault.malformed(MALFORMED));
  const keepPace = (hasWaiting: () => boolean): void => {
    let before = bytes;
    pace = setInterval(() => {
      if (bytes - before < PACE_BYTES && hasWaiting()) refuse(Fault.throttled(TOO_MANY, 1));
      before = bytes;
    }, PACE_MS).unref();
  };
  const readOn = async ({ admit, hasWaiting }: Admission): Promise<void> => {
    isLarge = true;
    source.pause();
    await admit();
    if (!isOpen) return;
    keepPace(hasWaiting);
    source.resume();
  };
  const joinChunks = (): void => {
    chunks.push(loose.length === 1 ? loose[0]! : Buffer.concat(loose));
    loose = [];
  };
  const take = (chunk: Buffer): void => {
    bytes += chunk.length;
    if (bytes > limit) return refuse(Fault.tooLarge(TOO_LARGE));
    loose.push(chunk);
    if (loose.length === LOOSE_CHUNKS) joinChunks();
    if (admission && !isLarge && bytes > SMALL_BODY_BYTES) void readOn(admission);
  };

  if (request.destroyed) onClosed();
  source.on('end', () => {
    if (loose.length > 0) joinChunks();
    const whole = chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, bytes);
    stop();
    resolve(whole);
  });
  source.on('error', onClosed);
  request.on('close', () => {
    if (!request.readableEnded) onClosed();
  });
  source.on('data', take);
  return promise;
}
