import { isUtf8 } from 'node:buffer';
import {
  BODY_LIMIT_BYTES,
  type BodyLimits,
  bodyLimitsOf,
  isObject,
  markedAs,
  type Method,
  type Request,
  withLoneSurrogates,
} from '@tidings/contract';
import { Fault } from '@tidings/kernel';
import { TOO_LARGE } from '../envelopes/reply.ts';
import { ExactReader, parseExactly } from '../json/exact-numbers.ts';
import { outlineOf } from '../json/json-outline.ts';
import { readJson } from '../json/json-reader.ts';
import { inSlices } from '../json/slices.ts';

const MAX_NESTING = 64;
const MALFORMED = 'Malformed request string';
const ONE_STEP_BYTES = 32 * 1024;

export interface BodyForm {
  readonly limits: BodyLimits;
  readonly body: Method['body'];
}

export const bodyFormOf = (method: Method): BodyForm => ({ limits: bodyLimitsOf(method), body: method.body });

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

function objectOf(value: unknown, reader: ExactReader): Request {
  if (!isObject(value)) throw Fault.malformed(MALFORMED);
  return reader.isIllFormed ? withLoneSurrogates(value) : value;
}

export const isLargeObject = (bytes: Buffer): boolean => bytes.length > ONE_STEP_BYTES;

export function parseObject(bytes: Buffer): Request {
  if (!isUtf8(bytes)) throw Fault.malformed(MALFORMED);
  const reader = new ExactReader();
  let value: unknown;
  try {
    value = parseExactly(bytes.toString('utf8'), reader);
  } catch {
    throw Fault.malformed(MALFORMED);
  }
  const object = objectOf(value, reader);
  if (!isNestedWithin(object, MAX_NESTING)) throw Fault.malformed(MALFORMED);
  return object;
}

function* steps(bytes: Buffer): Generator<void, Request> {
  const reader = new ExactReader();
  try {
    const value = yield* readJson(bytes, reader, MAX_NESTING);
    yield* reader.restore(value);
    return objectOf(value, reader);
  } catch (error) {
    throw error instanceof SyntaxError ? Fault.malformed(MALFORMED) : error;
  }
}

/** Read without parsing, to authenticate first. */
export async function tokenIn(bytes: Buffer, form: BodyForm): Promise<string | undefined> {
  if (!isUtf8(bytes)) throw Fault.malformed(MALFORMED);
  const { isWithinLimits, isTooDeep, auth } = await inSlices(outlineOf(bytes, form.limits, form.body, MAX_NESTING));
  if (isTooDeep) throw Fault.malformed(MALFORMED);
  if (!isWithinLimits) throw Fault.tooLarge(TOO_LARGE);
  return auth;
}

export const parseLargeObject = (bytes: Buffer): Promise<Request> => inSlices(steps(bytes));

const USUAL: BodyForm = { limits: bodyLimitsOf({ maxBodyBytes: BODY_LIMIT_BYTES }), body: 'bare' };

/** The last of duplicate keys wins. @throws Fault `malformed`, `tooLarge` */
export async function objectIn(bytes: Buffer, form: BodyForm = USUAL): Promise<Request> {
  if (!isLargeObject(bytes)) return parseObject(bytes);
  await tokenIn(bytes, form);
  return parseLargeObject(bytes);
}

export function parametersIn(body: Request, form: Method['body']): Request {
  const { request } = body;
  if (form === 'bare' || (form === 'either' && request === undefined)) return body;
  if (!isObject(request)) throw Fault.malformed(MALFORMED);
  return markedAs(body, request);
}
