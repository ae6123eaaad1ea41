import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { isObject, type Method, type Request } from '@tidings/contract';
import { Fault } from '@tidings/kernel';
import { TOO_LARGE } from '../envelopes/reply.ts';

/** R-LM1; inclusive. */
export const BODY_LIMIT_BYTES = 10 * 1024 * 1024;
const MAX_NESTING = 64;
const MALFORMED = 'Malformed request string';

/** How much more of a refused body is read, so that its sender gets to see the refusal. */
const DISCARD_BYTES = 2 * BODY_LIMIT_BYTES;

/** Lets a refused body pass unseen, and cuts off a sender that does not end. */
function discard(request: IncomingMessage): void {
  let bytes = 0;
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > DISCARD_BYTES) request.destroy();
  });
}

/** The whole body. A body over the limit is a fault `tooLarge`; a caller that goes away is one that nobody will read. */
export function readBody(request: IncomingMessage, limit = BODY_LIMIT_BYTES): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    let only: Buffer | undefined;
    let chunks: Buffer[] | undefined;
    let bytes = 0;

    const refuse = (): void => {
      request.off('data', take);
      discard(request);
      reject(Fault.tooLarge(TOO_LARGE));
    };
    const take = (chunk: Buffer): void => {
      bytes += chunk.length;
      if (bytes > limit) refuse();
      else if (only) (chunks ??= [only]).push(chunk);
      else only = chunk;
    };
    request.on('end', () => resolve(chunks ? Buffer.concat(chunks, bytes) : (only ?? Buffer.alloc(0))));
    request.on('error', () => reject(Fault.malformed(MALFORMED)));
    if (Number(request.headers['content-length'] ?? 0) > limit) refuse();
    else request.on('data', take);
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
