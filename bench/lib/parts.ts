import { format, median } from './figure.ts';

export type Parts = Readonly<Record<string, number>>;

export const total = (parts: Parts): number => Object.values(parts).reduce((sum, amount) => sum + amount, 0);

export const usedBetween = (before: Parts, after: Parts, operations: number): Parts =>
  mapped(after, (amount, name) => (amount - (before[name] ?? 0)) / operations);

/** The cost of each of the operations that the work does. */
export async function usedBy(cpu: () => Parts, operations: number, work: () => Promise<unknown>): Promise<Parts> {
  const before = cpu();
  await work();
  return usedBetween(before, cpu(), operations);
}

export const mediansOf = (rounds: readonly Parts[]): Parts =>
  mapped(rounds[0]!, (_, name) => median(rounds.map((parts) => parts[name]!)));

/** E.g. `platform 12.3 + mongod 20.1 µs`. */
export const inWords = (parts: Parts, unit: string): string =>
  `${Object.entries(parts)
    .map(([name, amount]) => `${name} ${format(amount)}`)
    .join(' + ')} ${unit}`;

const mapped = (parts: Parts, change: (amount: number, name: string) => number): Parts =>
  Object.fromEntries(Object.entries(parts).map(([name, amount]) => [name, change(amount, name)]));
