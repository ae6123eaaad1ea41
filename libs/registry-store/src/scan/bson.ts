import { exactInteger } from '@tidings/kernel';
import type { Comparable } from '@tidings/segments';

export const Type = {
  Double: 1,
  String: 2,
  Document: 3,
  Array: 4,
  Binary: 5,
  ObjectId: 7,
  Boolean: 8,
  Date: 9,
  Null: 10,
  Int32: 16,
  Timestamp: 17,
  Int64: 18,
} as const;

/** The first four bytes distinguish the fields. */
export const nameOf = (text: string): number => Buffer.from(`${text}\0\0\0\0`).readInt32LE(0);

const SIZES = new Int8Array(256).fill(-1);
SIZES[Type.Double] = SIZES[Type.Date] = SIZES[Type.Timestamp] = SIZES[Type.Int64] = 8;
SIZES[Type.Int32] = 4;
SIZES[Type.Boolean] = 1;
SIZES[Type.Null] = 0;
SIZES[Type.ObjectId] = 12;

export function sizeOf(b: Buffer, p: number, type: number): number {
  const size = SIZES[type]!;
  if (size >= 0) return size;
  switch (type) {
    case Type.String:
      return 4 + b.readInt32LE(p);
    case Type.Document:
    case Type.Array:
      return b.readInt32LE(p);
    case Type.Binary:
      return 5 + b.readInt32LE(p);
    default:
      throw new Error(`a device has a field of BSON type ${type}`);
  }
}

export function numberAt(b: Buffer, p: number, type: number): number {
  if (type === Type.Int32) return b.readInt32LE(p);
  if (type === Type.Double) return b.readDoubleLE(p);
  return type === Type.Int64 || type === Type.Date ? Number(b.readBigInt64LE(p)) : 0;
}

export function valueAt(b: Buffer, p: number, type: number): Comparable {
  if (type === Type.String) return b.toString('utf8', p + 4, p + 3 + b.readInt32LE(p));
  if (type === Type.Boolean) return b[p] === 1;
  return type === Type.Int64 ? exactInteger(b.readBigInt64LE(p)) : numberAt(b, p, type);
}
