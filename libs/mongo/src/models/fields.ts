import { Binary } from 'mongodb';
import type { SchemaDefinitionProperty } from 'mongoose';
import { mongoose, schemaOptions } from './mongoose.ts';

const { Schema } = mongoose;

export type Field = SchemaDefinitionProperty & object;

export type Fields<Document> = { readonly [Name in keyof Required<Document>]: Field };

/** Mongoose reads typed arrays but Buffer as objects, at 4 µs a byte: {@link asBuffer}. */
function onlyBytes(value: unknown): unknown {
  if (value === undefined || Buffer.isBuffer(value) || value instanceof Binary) return value;
  throw new TypeError('bytes have to be a Buffer');
}

export const asBuffer = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer =>
  Buffer.from(buffer, byteOffset, byteLength);

export const text: Field = { type: String, required: true };
export const number: Field = { type: Number, required: true };
export const flag: Field = { type: Boolean, required: true };
export const date: Field = { type: Date, required: true };
export const bytes: Field = { type: Schema.Types.Buffer, required: true, set: onlyBytes };
export const mixed: Field = { type: Schema.Types.Mixed, required: true };

export const oneOf = (...values: readonly string[]): Field => ({ type: String, required: true, enum: [...values] });

export const optional = (field: Field): Field => ({ ...field, required: false }) as Field;

export const list = (of: Field): Field => ({ type: [of], required: true, default: undefined }) as Field;

export const record = (of: Field): Field =>
  ({ type: Map, of: (of as { readonly type: unknown }).type, required: true }) as Field;

const isBytes = (value: unknown): boolean => value instanceof Uint8Array || value instanceof Binary;

export const pairs = (key: 'number' | 'string'): Field =>
  ({
    type: [Schema.Types.Mixed],
    required: true,
    default: undefined,
    validate: (entries: readonly unknown[] | undefined) =>
      entries === undefined ||
      entries.every((pair) => Array.isArray(pair) && pair.length === 2 && typeof pair[0] === key && isBytes(pair[1])),
  }) as Field;

export const object = <Part>(fields: Fields<Part>): Field =>
  ({ type: new Schema(fields, { ...schemaOptions, _id: false }), required: true }) as Field;

export const bytesOf = (value: Uint8Array | Binary): Uint8Array => (value instanceof Uint8Array ? value : value.buffer);
