import mongoose, { type SchemaOptions } from 'mongoose';

const { String: Text, Number: Numeric, Boolean: Flag, Date: Moment, Buffer: Bytes, ...types } = mongoose.Schema.Types;

// A value of another type than the schema's is refused, never converted: a query or a document that is wrong shows it.
Text.cast(false);
Numeric.cast(false);
Flag.cast(false);
Moment.cast(false);
types.Array.options.castNonArrays = false;
types.DocumentArray.options.castNonArrays = false;
// Required means present; the empty text and no bytes are values.
Text.checkRequired((value: unknown) => typeof value === 'string');
Bytes.checkRequired((value: unknown) => value !== undefined && value !== null);

/** Options of every schema: nothing happens by itself, and a field that the schema does not name is refused. */
export const schemaOptions = {
  autoCreate: false,
  autoIndex: false,
  bufferCommands: false,
  minimize: false,
  strict: 'throw',
  strictQuery: 'throw',
  versionKey: false,
  id: false,
  suppressReservedKeysWarning: true,
} as const satisfies SchemaOptions;

export { mongoose };
