import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { BODY_LIMIT_BYTES, isObject, type Method, type Request } from '@tidings/contract';
import { Fault } from '@tidings/kernel';
import { TOO_LARGE, TOO_MANY } from '../envelopes/reply.ts';
import { isKept, parseExactly } from './exact-numbers.ts';

const MAX_NESTING = 64;
const MALFORMED = 'Malformed request string';

/** How long the rest of a refused body is read. A connection that is cut before has its caller see a reset instead of the refusal. */
const DISCARDING_MS = 10_000;
/** Bodies up to this size are no burden. */
export const SMALL_BODY_BYTES = 1024 * 1024;
/** What a large body has to bring while others wait: as much as the largest needs to be there before the server gives it up. */
const PACE_BYTES = 1024 * 1024;
const PACE_MS = 2_000;

/** Lets what is left of a body pass unseen, so that its sender gets to see the reply and can go on with the next request. */
function discard(request: IncomingMessage): void {
  if (request.readableEnded || request.destroyed) return;
  const timer = setTimeout(() => request.destroy(), DISCARDING_MS);
  timer.unref();
  for (const ending of ['end', 'close']) request.once(ending, () => clearTimeout(timer));
  request.resume();
}

/** Says when a body that is large may be read on. */
export interface Admission {
  /** Resolves when there is room; asked once. */
  readonly admit: () => Promise<unknown>;
  /** Whether others wait for room. */
  readonly crowded: () => boolean;
}

/**
 * The whole body. A body over the limit, which is inclusive, is a fault `tooLarge`; a caller that goes away is one that nobody will read.
 */
export function readBody(request: IncomingMessage, limit = BODY_LIMIT_BYTES): Promise<Buffer> {
  return collect(request, request, { limit });
}

const isPacked = ({ headers }: IncomingMessage): boolean => headers['content-encoding']?.toLowerCase() === 'gzip';

/** The weight of a body that may be large, in bytes: what it says to be, else what it may be. */
export const weightOf = (request: IncomingMessage, limit: number): number => {
  const length = Number(request.headers['content-length'] ?? limit);
  return isPacked(request) ? limit : Math.min(length, limit);
};

/**
 * The same of a body that may come packed by gzip: the limit is for what it is unpacked. Beyond 1 MiB it is read on when it is admitted; then
 * one that comes slowly while others wait is a fault `throttled`.
 */
export function readLargeBody(request: IncomingMessage, limit: number, admission: Admission): Promise<Buffer> {
  if (!isPacked(request)) return collect(request, request, { limit, admission });
  const unpacked = createGunzip();
  request.on('error', () => unpacked.destroy(new Error('the caller went away')));
  return collect(request, request.pipe(unpacked), { limit, admission }).finally(() => unpacked.destroy());
}

interface Reading {
  readonly limit: number;
  readonly admission?: Admission;
}

/** What comes out of `source`, which is the request or made of it. */
function collect(request: IncomingMessage, source: Readable, { limit, admission }: Reading): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  let chunks: Buffer[] = [];
  let bytes = 0;
  let isOpen = true;
  let isLarge = false;
  let pace: NodeJS.Timeout | undefined;

  const stop = (): void => {
    isOpen = false;
    // The request lives for longer, and its listeners with it.
    chunks = [];
    clearInterval(pace);
    if (source !== request) request.unpipe();
    discard(request);
  };
  const refuse = (fault: Fault): void => {
    source.off('data', take);
    stop();
    reject(fault);
  };
  const gone = (): void => refuse(Fault.malformed(MALFORMED));
  /** Only what others wait for is taken away from the slow. */
  const keepPace = (crowded: () => boolean): void => {
    let before = bytes;
    pace = setInterval(() => {
      if (bytes - before < PACE_BYTES && crowded()) refuse(Fault.throttled(TOO_MANY, 1));
      before = bytes;
    }, PACE_MS).unref();
  };
  const readOn = async ({ admit, crowded }: Admission): Promise<void> => {
    isLarge = true;
    source.pause();
    await admit();
    if (!isOpen) return;
    keepPace(crowded);
    source.resume();
  };
  const take = (chunk: Buffer): void => {
    bytes += chunk.length;
    if (bytes > limit) return refuse(Fault.tooLarge(TOO_LARGE));
    chunks.push(chunk);
    if (admission && !isLarge && bytes > SMALL_BODY_BYTES) void readOn(admission);
  };

  if (request.destroyed) gone();
  source.on('end', () => {
    const whole = chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, bytes);
    stop();
    resolve(whole);
  });
  source.on('error', gone);
  request.on('close', () => {
    if (!request.readableEnded) gone();
  });
  if (source === request && Number(request.headers['content-length'] ?? 0) > limit) refuse(Fault.tooLarge(TOO_LARGE));
  else source.on('data', take);
  return promise;
}

const isContainer = (value: unknown): value is object => typeof value === 'object' && value !== null;

function isNestedWithin(value: object, depth: number): boolean {
  if (depth === 0) return false;
  if (Array.isArray(value)) return value.every((member) => !isContainer(member) || isNestedWithin(member, depth - 1));
  for (const key in value) {
    const member = (value as Request)[key];
    if (isContainer(member) && !isNestedWithin(member, depth - 1)) return false;
  }
  return true;
}

const SURROGATE_ESCAPE = /\\u[dD][89a-fA-F]/;

/** JSON can escape half a surrogate pair, which no store keeps: it becomes the replacement character here, once, for all. */
function wellFormed(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed();
  if (Array.isArray(value)) return value.map(wellFormed);
  if (typeof value !== 'object' || value === null || isKept(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key.toWellFormed(), wellFormed(member)]));
}

/** Arrays and objects that a body may hold: each takes many times the bytes that it is written with. */
const MAX_CONTAINERS = 2_000_000;
const [QUOTE, BACKSLASH, ARRAY, OBJECT] = ['"', '\\', '[', '{'].map((sign) => sign.charCodeAt(0));

/** Whether JSON holds more of them, told without making any: those in its texts do not count. */
function hasTooManyContainers(bytes: Buffer): boolean {
  // Two bytes each at least.
  if (bytes.length <= 2 * MAX_CONTAINERS) return false;
  let count = 0;
  let isText = false;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i];
    if (byte === QUOTE) isText = !isText;
    else if (isText) i += byte === BACKSLASH ? 1 : 0;
    else if ((byte === ARRAY || byte === OBJECT) && ++count > MAX_CONTAINERS) return true;
  }
  return false;
}

/**
 * The object in a body, whatever its Content-Type says (R-ER1). Of duplicate keys the last wins. One of over two million arrays and objects is too
 * large.
 */
export function parseObject(bytes: Buffer): Request {
  if (!isUtf8(bytes)) throw Fault.malformed(MALFORMED);
  if (hasTooManyContainers(bytes)) throw Fault.tooLarge(TOO_LARGE);
  const text = bytes.toString('utf8');
  let value: unknown;
  try {
    value = parseExactly(text);
  } catch {
    throw Fault.malformed(MALFORMED);
  }
  if (!isObject(value) || !isNestedWithin(value, MAX_NESTING)) throw Fault.malformed(MALFORMED);
  const mayBeIllFormed = text.includes('\\u') && SURROGATE_ESCAPE.test(text);
  return mayBeIllFormed ? (wellFormed(value) as Request) : value;
}

/** The parameters of a method-style request, which stand in `request` (R-ER1) but for a few methods (R-ER3, R-X1). */
export function parametersIn(body: Request, form: Method['body'] = 'wrapped'): Request {
  const { request } = body;
  if (form === 'bare' || (form === 'either' && request === undefined)) return body;
  if (!isObject(request)) throw Fault.malformed(MALFORMED);
  return request;
}
