import type { Selection } from '@tidings/rpc';

/** A divisor of a chunk's size. */
const STRETCH = 4096;

export interface Stretch {
  readonly application: string;
  readonly from: number;
  readonly to: number;
}

type Applications = Pick<Selection, 'applications'>;

const stretchesIn = (numbers: number): number => Math.ceil(numbers / STRETCH);

/** An empty export has one part with one number. */
export function extentOf({ applications }: Applications): { readonly parts: number; readonly numbers: number } {
  const sum = (of: (numbers: number) => number): number =>
    applications.reduce((all, each) => all + of(each.numbers), 0);
  return {
    parts: Math.max(1, sum(stretchesIn)),
    numbers: Math.max(
      1,
      sum((numbers) => numbers),
    ),
  };
}

export function stretchOf({ applications }: Applications, part: number): Stretch | undefined {
  let rest = part;
  for (const { code, numbers } of applications) {
    const own = stretchesIn(numbers);
    if (rest < own) {
      const from = rest * STRETCH;
      return { application: code, from, to: Math.min(from + STRETCH, numbers) };
    }
    rest -= own;
  }
  return undefined;
}
