const FIELD_BYTES = 8;

/** Encoding it would copy attachments. */
export function sizeOf(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (ArrayBuffer.isView(value)) return value.byteLength;
  if (typeof value !== 'object' || value === null) return FIELD_BYTES;
  const fields: readonly unknown[] = Object.values(value);
  return fields.reduce<number>((sum, field) => sum + sizeOf(field), FIELD_BYTES);
}
