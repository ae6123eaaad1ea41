import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import {
  BODY_LIMIT_BYTES,
  BODY_MEMBERS,
  BULK_BODY_MEMBERS,
  isObject,
  type Method,
  type Request,
  SMALL_BODY_BYTES,
} from '@tidings/contract';
import { Fault } from '@tidings/kernel';
import { TOO_LARGE, TOO_MANY } from '../envelopes/reply.ts';
import { isKept, parseExactly } from './exact-numbers.ts';

const MAX_NESTING = 64;
const MALFORMED = 'Malformed request string';

/** How long the rest of a refused body is read. A connection that is cut before has its caller see a reset instead of the refusal. */
const DISCARDING_MS = 10_000;
/** Chunks of a body that are kept by themselves: callers may send it byte by byte, and each takes many times its size. */
const LOOSE_CHUNKS = 256;
/** What a large body has to bring while others wait: as much as the largest needs to be there before the server gives it up. */
const PACE_BYTES = 1024 * 1024;
const PACE_MS = 2_000;

/** Lets what is left of a body pass unseen, so that its sender gets to see the reply and can go on with the next request. */
export function discard(request: IncomingMessage): void {
  if (request.readableEnded || request.destroyed) return;
  const timer = setTimeout(() => request.destroy(), DISCARDING_MS);
  timer.unref();
  for (const ending of ['end', 'close']) request.once(ending, () => clearTimeout(timer));
  request.resume();
}

/** Says when a body that is large may be read on. */
export interface Admission {
  /** Resolves when there is room; asked once, by the first byte over {@link SMALL_BODY_BYTES}. */
  readonly admit: () => Promise<unknown>;
  /** Whether others wait for room. */
  readonly crowded: () => boolean;
}

/** Refuses a body that says itself that it is over the limit, which is inclusive. @throws Fault `tooLarge` */
export function refuseTooLarge(request: IncomingMessage, limit: number): void {
  const length = Number(request.headers['content-length'] ?? 0);
  if (length > limit && !isPacked(request, limit)) throw Fault.tooLarge(TOO_LARGE);
}

/**
 * The whole body. A body over the limit is a fault `tooLarge`; a caller that goes away is one that nobody will read.
 */
export function readBody(request: IncomingMessage, limit = BODY_LIMIT_BYTES): Promise<Buffer> {
  return collect(request, request, { limit });
}

/** Whether a body comes packed by gzip, where it may: there its limit is more than usual. */
const isPacked = ({ headers }: IncomingMessage, limit: number): boolean =>
  limit > BODY_LIMIT_BYTES && headers['content-encoding']?.toLowerCase() === 'gzip';

/** How many bytes a body may be, unpacked: what it says to be, else its limit. */
export const weightOf = (request: IncomingMessage, limit: number): number =>
  isPacked(request, limit) ? limit : Math.min(Number(request.headers['content-length'] ?? limit), limit);

/**
 * The same of a body that may be large, and may come packed by gzip: the limit is for what it is unpacked. A large one is read on when it is admitted; then
 * one that comes slowly while others wait is a fault `throttled`.
 */
export function readLargeBody(request: IncomingMessage, limit: number, admission: Admission): Promise<Buffer> {
  if (!isPacked(request, limit)) return collect(request, request, { limit, admission });
  const unpacked = createGunzip();
  request.on('error', () => unpacked.destroy(new Error('the caller closed the connection')));
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
  let loose: Buffer[] = [];
  let bytes = 0;
  let isOpen = true;
  let isLarge = false;
  let pace: NodeJS.Timeout | undefined;

  const stop = (): void => {
    isOpen = false;
    // The request lives for longer, and its listeners with it.
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
  /** Makes one chunk of the loose ones. */
  const bind = (): void => {
    chunks.push(loose.length === 1 ? loose[0]! : Buffer.concat(loose));
    loose = [];
  };
  const take = (chunk: Buffer): void => {
    bytes += chunk.length;
    if (bytes > limit) return refuse(Fault.tooLarge(TOO_LARGE));
    loose.push(chunk);
    if (loose.length === LOOSE_CHUNKS) bind();
    if (admission && !isLarge && bytes > SMALL_BODY_BYTES) void readOn(admission);
  };

  if (request.destroyed) gone();
  source.on('end', () => {
    if (loose.length > 0) bind();
    const whole = chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, bytes);
    stop();
    resolve(whole);
  });
  source.on('error', gone);
  request.on('close', () => {
    if (!request.readableEnded) gone();
  });
  source.on('data', take);
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
const [QUOTE, BACKSLASH, ARRAY, OBJECT, COLON] = ['"', '\\', '[', '{', ':'].map((sign) => sign.charCodeAt(0));
/** The fewest bytes of a member: two quotes, a colon, a value and what is between it and the next. */
const MEMBER_BYTES = 5;

/** Whether JSON holds more of them, or of members, told without making any: those in its texts do not count. */
function holdsTooMuch(bytes: Buffer, maxMembers: number): boolean {
  // Two bytes each at least.
  if (bytes.length <= Math.min(2 * MAX_CONTAINERS, MEMBER_BYTES * maxMembers)) return false;
  let containers = 0;
  let members = 0;
  let isText = false;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i];
    if (byte === QUOTE) isText = !isText;
    else if (isText) i += byte === BACKSLASH ? 1 : 0;
    else if ((byte === ARRAY || byte === OBJECT) && ++containers > MAX_CONTAINERS) return true;
    else if (byte === COLON && ++members > maxMembers) return true;
  }
  return false;
}

/**
 * The object in a body, whatever its Content-Type says (R-ER1). Of duplicate keys the last wins. One of over two million arrays and objects, or of too many
 * members, is too large.
 */
export function parseObject(bytes: Buffer, maxBodyBytes = BODY_LIMIT_BYTES): Request {
  if (!isUtf8(bytes)) throw Fault.malformed(MALFORMED);
  const maxMembers = maxBodyBytes > BODY_LIMIT_BYTES ? BULK_BODY_MEMBERS : BODY_MEMBERS;
  if (holdsTooMuch(bytes, maxMembers)) throw Fault.tooLarge(TOO_LARGE);
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
