export interface Golden {
  readonly bytes: string;
  readonly value: unknown;
}

interface Codec {
  decode(bytes: Uint8Array): object;
  fromPartial(value: object): object;
}

export function plain(value: unknown): unknown {
  if (typeof value === 'bigint') return `${value}n`;
  if (value instanceof Uint8Array) return `base64 ${Buffer.from(value).toString('base64')}`;
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, part]) => (part === undefined ? [] : [[key, plain(part)]])),
  );
}

export function unsetFields(codec: Codec, golden: readonly Golden[]): string[] {
  const initial = plain(codec.fromPartial({})) as Record<string, unknown>;
  const values = golden.map(
    ({ bytes }) => plain(codec.decode(Buffer.from(bytes, 'base64'))) as Record<string, unknown>,
  );
  const isSet = (field: string): boolean =>
    values.some((value) => JSON.stringify(value[field]) !== JSON.stringify(initial[field]));
  return Object.keys(codec.fromPartial({})).filter((field) => field !== '_unknownFields' && !isSet(field));
}
