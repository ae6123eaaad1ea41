import type { Selection } from '@tidings/rpc';

/** Device numbers per part of an export; a divisor of a chunk's size. */
const STRETCH = 4096;

/** A range of device numbers of an application; `to` is exclusive. */
export interface Stretch {
  readonly application: string;
  readonly from: number;
  readonly to: number;
}

type Applications = Pick<Selection, 'applications'>;

const stretchesIn = (numbers: number): number => Math.ceil(numbers / STRETCH);

/** Number of parts of an export, and number of device numbers in it. An empty export has one part with one number. */
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

/** The range of a part; undefined for an empty export. */
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
