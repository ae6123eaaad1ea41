const FIELD_BYTES = 8;

/**
 * Approximate bytes of a decoded message in memory: the bytes of its texts and byte fields, and some for each other field. Encoding it would copy its
 * attachments.
 */
export function sizeOf(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (ArrayBuffer.isView(value)) return value.byteLength;
  if (typeof value !== 'object' || value === null) return FIELD_BYTES;
  const fields: readonly unknown[] = Object.values(value);
  return fields.reduce<number>((sum, field) => sum + sizeOf(field), FIELD_BYTES);
}
