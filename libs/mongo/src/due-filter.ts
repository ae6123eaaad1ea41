import { CLOCKS_AGREE_MS } from '@tidings/kernel';

type Due<Field extends string> = Readonly<Record<Field, { readonly $lte: Date } | { readonly $gt: Date }>>;

export function dueFilter<Field extends string>(
  field: Field,
  now: number,
  longestMs: number,
): { readonly $or: Due<Field>[] } {
  const past = { [field]: { $lte: new Date(now) } } as Due<Field>;
  const impossible = { [field]: { $gt: new Date(now + longestMs + CLOCKS_AGREE_MS) } } as Due<Field>;
  return { $or: [past, impossible] };
}
