import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { BODY_LIMIT_BYTES, isObject, type Method, type Request } from '@tidings/contract';
import { Fault } from '@tidings/kernel';
import { TOO_LARGE } from '../envelopes/reply.ts';

const MAX_NESTING = 64;
const MALFORMED = 'Malformed request string';

/** Lets a refused body pass unseen, so that its sender gets to see the refusal, and cuts off one that does not end. */
function discard(request: IncomingMessage, limit: number): void {
  let bytes = 0;
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > 2 * limit) request.destroy();
  });
}

/**
 * The whole body. A body over the limit, which is inclusive, is a fault `tooLarge`; a caller that goes away is one that nobody will read.
 */
export function readBody(request: IncomingMessage, limit = BODY_LIMIT_BYTES): Promise<Buffer> {
  return collect(request, request, limit);
}

const isPacked = ({ headers }: IncomingMessage): boolean => headers['content-encoding']?.toLowerCase() === 'gzip';

/** The same of a body that may come packed by gzip: the limit is for what it is unpacked. */
export function readPackedBody(request: IncomingMessage, limit: number): Promise<Buffer> {
  if (!isPacked(request)) return readBody(request, limit);
  const unpacked = createGunzip();
  request.on('error', () => unpacked.destroy(new Error('the caller went away')));
  return collect(request, request.pipe(unpacked), limit).finally(() => unpacked.destroy());
}

/** What comes out of `source`, which is the request or made of it. */
function collect(request: IncomingMessage, source: Readable, limit: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    let only: Buffer | undefined;
    let chunks: Buffer[] | undefined;
    let bytes = 0;

    const refuse = (): void => {
      source.off('data', take);
      if (source !== request) request.unpipe();
      discard(request, limit);
      reject(Fault.tooLarge(TOO_LARGE));
    };
    const take = (chunk: Buffer): void => {
      bytes += chunk.length;
      if (bytes > limit) refuse();
      else if (only) (chunks ??= [only]).push(chunk);
      else only = chunk;
    };
    const gone = (): void => reject(Fault.malformed(MALFORMED));
    if (request.destroyed) return gone();
    source.on('end', () => resolve(chunks ? Buffer.concat(chunks, bytes) : (only ?? Buffer.alloc(0))));
    source.on('error', gone);
    request.on('close', () => {
      if (!request.complete) gone();
    });
    if (source === request && Number(request.headers['content-length'] ?? 0) > limit) refuse();
    else source.on('data', take);
  });
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
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key.toWellFormed(), wellFormed(member)]));
}

/** The object in a body, whatever its Content-Type says (R-ER1). Of duplicate keys the last wins. */
export function parseObject(bytes: Buffer): Request {
  if (!isUtf8(bytes)) throw Fault.malformed(MALFORMED);
  const text = bytes.toString('utf8');
  let value: unknown;
  try {
    value = JSON.parse(text);
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
