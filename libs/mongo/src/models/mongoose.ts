import mongoose, { type SchemaOptions } from 'mongoose';

const { String: Text, Number: Numeric, Boolean: Flag, Date: Moment, Buffer: Bytes, ...types } = mongoose.Schema.Types;

// Values of another type are refused, never converted.
Text.cast(false);
Numeric.cast(false);
Flag.cast(false);
Moment.cast(false);
types.Array.options.castNonArrays = false;
types.DocumentArray.options.castNonArrays = false;
Text.checkRequired((value: unknown) => typeof value === 'string');
Bytes.checkRequired((value: unknown) => value !== undefined && value !== null);

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
