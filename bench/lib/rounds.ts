import { median } from './figure.ts';

const LEAST = 3;
const MOST = 7;
const STEADY = 0.03;

/**
 * Repeats until the median deviation of the figures is below 3 % of their median.
 *
 * @param figureOf a round @param options.least @default 3 @param options.most @default 7
 */
export async function untilSteady<Round>(
  round: () => Round | Promise<Round>,
  figureOf: (round: Round) => number,
  { least = LEAST, most = MOST } = {},
): Promise<Round[]> {
  const rounds: Round[] = [];
  do rounds.push(await round());
  while (rounds.length < most && (rounds.length < least || deviation(rounds.map(figureOf)) > STEADY));
  return rounds;
}

function deviation(values: readonly number[]): number {
  const middle = median(values);
  return median(values.map((value) => Math.abs(value - middle))) / middle;
}
