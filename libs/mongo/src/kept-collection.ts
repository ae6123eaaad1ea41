/**
 * A collection of a service's database, and how long what is in it stays there. Each service lists its own; the table in docs/operations.md is made of
 * these lists, and a collection that is in none of them fails a test.
 */
export interface KeptCollection {
  readonly name: string;
  /** A period of {@link inDays}, or what ends it. */
  readonly kept: string;
}

const HOUR_MS = 3_600_000;

/** A period in words: days where it is whole ones, else hours. */
export function inDays(ms: number): string {
  const hours = ms / HOUR_MS;
  const [count, unit] = hours % 24 === 0 ? [hours / 24, 'day'] : [hours, 'hour'];
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}
