import type { Selection } from '@tidings/rpc';

/** Numbers of devices that are looked at for one part of an export; a chunk is a whole number of them. */
const STRETCH = 4096;

/** Numbers of devices of an application, `to` excluded. */
export interface Stretch {
  readonly application: string;
  readonly from: number;
  readonly to: number;
}

type Applications = Pick<Selection, 'applications'>;

const stretchesIn = (numbers: number): number => Math.ceil(numbers / STRETCH);

/** How many parts an export has, and over how many numbers it goes. One that has nobody to look at has one part, which counts as one number. */
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

/** What the part of this number looks at; undefined = nobody. */
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
