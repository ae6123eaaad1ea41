import { Binary } from 'mongodb';
import type { SchemaDefinitionProperty } from 'mongoose';
import { mongoose, schemaOptions } from './mongoose.ts';

const { Schema } = mongoose;

/** A field of a schema, as mongoose takes it. */
export type Field = SchemaDefinitionProperty & object;

/** A field for each name of a document's type: the compiler finds one that lacks, and one too many. */
export type Fields<Document> = { readonly [Name in keyof Required<Document>]: Field };

/**
 * Mongoose would convert texts and numbers to bytes. It takes any typed array but Buffer for an object with a field for each byte, which costs 4 µs a
 * byte: {@link asBuffer}.
 */
function onlyBytes(value: unknown): unknown {
  if (value === undefined || Buffer.isBuffer(value) || value instanceof Binary) return value;
  throw new TypeError('bytes have to be a Buffer');
}

/** The same bytes as a Buffer, which is what models write. */
export const asBuffer = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer =>
  Buffer.from(buffer, byteOffset, byteLength);

/** The fields that schemas are made of. All are required; see {@link optional}. */
export const text: Field = { type: String, required: true };
export const number: Field = { type: Number, required: true };
export const flag: Field = { type: Boolean, required: true };
export const date: Field = { type: Date, required: true };
export const bytes: Field = { type: Schema.Types.Buffer, required: true, set: onlyBytes };
/** Whatever its owner keeps there: what the schema cannot know. */
export const mixed: Field = { type: Schema.Types.Mixed, required: true };

/** One of these texts. */
export const oneOf = (...values: readonly string[]): Field => ({ type: String, required: true, enum: [...values] });

/** The field may be absent; it is never `null`. */
export const optional = (field: Field): Field => ({ ...field, required: false }) as Field;

/** An array; empty ones are stored as such, and none is added. */
export const list = (of: Field): Field => ({ type: [of], required: true, default: undefined }) as Field;

/** An object with keys that are data: each has a value of this kind. */
export const record = (of: Field): Field =>
  ({ type: Map, of: (of as { readonly type: unknown }).type, required: true }) as Field;

const isBytes = (value: unknown): boolean => value instanceof Uint8Array || value instanceof Binary;

/** An array of pairs: a key of this type, and bytes. */
export const pairs = (key: 'number' | 'string'): Field =>
  ({
    type: [Schema.Types.Mixed],
    required: true,
    default: undefined,
    validate: (entries: readonly unknown[] | undefined) =>
      entries === undefined ||
      entries.every((pair) => Array.isArray(pair) && pair.length === 2 && typeof pair[0] === key && isBytes(pair[1])),
  }) as Field;

/** An object with these fields. */
export const object = <Part>(fields: Fields<Part>): Field =>
  ({ type: new Schema(fields, { ...schemaOptions, _id: false }), required: true }) as Field;

/** Bytes as they are read: the driver and mongoose wrap what is stored. */
export const bytesOf = (value: Uint8Array | Binary): Uint8Array => (value instanceof Uint8Array ? value : value.buffer);
