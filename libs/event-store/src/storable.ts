import { BSON } from 'mongodb';

export type StoredFields = Readonly<Record<string, unknown>>;

/** Leaves room for self-reports below MongoDB's 16 MB. */
const MAX_STATE_BYTES = 4 * 1024 * 1024;
/** MongoDB 4.0 limits index keys to 1,024 bytes, encoding included. */
export const MAX_KEY_BYTES = 1000;
/** MongoDB reads 100 levels; the document around a value takes some. */
const MAX_DEPTH = 90;

export class Unstorable extends Error {
  override readonly name = 'Unstorable';
}

export class Oversized extends Unstorable {
  constructor(what: string, bytes: number) {
    super(`${what} of ${bytes} bytes`);
  }
}

export type IndexCheck = (document: StoredFields) => void;

/** Throws {@link Unstorable}; returns an upper bound in bytes. */
export function checkState(id: string, document: StoredFields, indexes?: IndexCheck): number {
  checkId(id);
  let bytes = 64 + 3 * id.length;
  for (const name in document) bytes += 2 + 3 * name.length + valueBytes(document[name], 1);
  if (bytes > MAX_STATE_BYTES && (bytes = exactSize(document)) > MAX_STATE_BYTES) {
    throw new Oversized('a state', bytes);
  }
  indexes?.(document);
  return bytes;
}

export const checkValue = (value: unknown): void => void valueBytes(value, 1);

function checkId(id: string): void {
  if (id.length > MAX_KEY_BYTES / 3 && Buffer.byteLength(id) > MAX_KEY_BYTES) throw new Unstorable('an _id too long');
}

function exactSize(document: StoredFields): number {
  try {
    return BSON.calculateObjectSize(document, { ignoreUndefined: true });
  } catch (error) {
    throw new Unstorable(String(error));
  }
}

function fieldBytes(name: string, value: unknown, depth: number): number {
  if (name.startsWith('$') || name.includes('\0')) throw new Unstorable(`field name "${name}"`);
  return 2 + 3 * name.length + valueBytes(value, depth);
}

/** A UTF-16 unit takes at most three bytes in UTF-8. */
function valueBytes(value: unknown, depth: number): number {
  switch (typeof value) {
    case 'string':
      return 5 + 3 * value.length;
    case 'object':
      return value === null ? 0 : objectBytes(value, depth);
    case 'number':
    case 'bigint':
    case 'boolean':
    case 'undefined':
      return 8;
    default:
      throw new Unstorable(`a ${typeof value} as value`);
  }
}

function objectBytes(value: object, depth: number): number {
  if (value instanceof Uint8Array) return 5 + value.byteLength;
  if (value instanceof Date) return dateBytes(value);
  if (depth >= MAX_DEPTH) throw new Unstorable('nested too deeply');
  let bytes = 5;
  if (Array.isArray(value)) {
    for (const item of value) bytes += 8 + valueBytes(item, depth + 1);
    return bytes;
  }
  if (value instanceof Map || '_bsontype' in value) return exactSize({ value });
  for (const name of Object.keys(value)) bytes += fieldBytes(name, (value as StoredFields)[name], depth + 1);
  return bytes;
}

function dateBytes(date: Date): number {
  if (Number.isNaN(date.getTime())) throw new Unstorable('an invalid date');
  return 8;
}
