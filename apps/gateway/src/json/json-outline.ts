import { randomInt } from 'node:crypto';
import type { BodyLimits, Method } from '@tidings/contract';

export const STEP_BYTES = 32 * 1024;

export const [QUOTE, BACKSLASH, ARRAY, ARRAY_END, OBJECT, OBJECT_END, COLON, COMMA] = [...'"\\[]{}:,'].map((sign) =>
  sign.charCodeAt(0),
) as [number, number, number, number, number, number, number, number];

export interface Outline {
  readonly isWithinLimits: boolean;
  readonly isTooDeep: boolean;
  readonly auth: string | undefined;
}

const NAME_BITS = 20;
const SEED = randomInt(2 ** 32);

/** May count one in twenty too few. */
function nameCounter() {
  const bitmap = new Uint8Array(2 ** NAME_BITS / 8);
  let count = 0;
  return (bytes: Buffer, from: number, to: number): number => {
    let hash = SEED;
    for (let i = from; i < to; i++) hash = Math.imul(hash ^ bytes[i]!, 0x01000193);
    hash = Math.imul(hash ^ (hash >>> 15), 0x85ebca6b) >>> (32 - NAME_BITS);
    const bit = 1 << (hash & 7);
    if ((bitmap[hash >>> 3]! & bit) === 0) {
      bitmap[hash >>> 3]! |= bit;
      count++;
    }
    return count;
  };
}

const textIn = (bytes: Buffer, from: number, to: number): string | undefined => {
  try {
    return JSON.parse(`"${bytes.toString('utf8', from, to)}"`) as string;
  } catch {
    return undefined;
  }
};

const LONGEST_TOKEN = 1024;

export function* outlineOf(
  bytes: Buffer,
  limits: BodyLimits,
  form: Method['body'],
  maxNesting: number,
): Generator<void, Outline> {
  const countName = nameCounter();
  let [members, values, entryValues, depth] = [0, 0, 0, 0];
  let isText = false;
  const listDepth = form === 'wrapped' ? 3 : 2;
  let [from, to] = [0, 0];
  let isRequest = false;
  let isAuth = false;
  let auth: string | undefined;
  const named = (name: string): boolean => to - from === name.length && bytes.toString('latin1', from, to) === name;
  const holdsParameters = (): boolean => (depth === 1 && form !== 'wrapped') || (depth === 2 && isRequest);

  let due = STEP_BYTES;
  for (let i = 0; i < bytes.length; i++) {
    if (i >= due) {
      yield;
      due = i + STEP_BYTES;
    }
    const byte = bytes[i];
    if (isText) {
      if (byte === BACKSLASH) i++;
      else if (byte === QUOTE) {
        [isText, to] = [false, i];
        if (isAuth) auth = to - from <= LONGEST_TOKEN ? textIn(bytes, from, to) : undefined;
        isAuth = false;
      }
      continue;
    }
    switch (byte) {
      default:
        break;
      case QUOTE:
        [isText, from] = [true, i + 1];
        break;
      case COLON:
        if (++members > limits.members || countName(bytes, from, to) > limits.names) {
          return { isWithinLimits: false, isTooDeep: false, auth };
        }
        if (depth === 1 && form !== 'bare') isRequest = named('request');
        isAuth = holdsParameters() && named('auth');
        break;
      case ARRAY:
      case OBJECT:
        if (++depth > maxNesting) return { isWithinLimits: true, isTooDeep: true, auth };
        isAuth = false;
        if (++values > limits.values || ++entryValues > limits.entryValues)
          return { isWithinLimits: false, isTooDeep: false, auth };
        break;
      case ARRAY_END:
      case OBJECT_END:
        depth--;
        break;
      case COMMA:
        isAuth = false;
        if (depth === listDepth) entryValues = 0;
        if (++values > limits.values || ++entryValues > limits.entryValues)
          return { isWithinLimits: false, isTooDeep: false, auth };
        break;
    }
  }
  return { isWithinLimits: true, isTooDeep: false, auth };
}
