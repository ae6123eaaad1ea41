export interface Figure {
  readonly id: string;
  readonly title: string;
  readonly measures: readonly Measure[];
}

export interface Measure {
  readonly title: string;
  /** The median of the rounds. */
  readonly value: number;
  /** `x` for a ratio, `ms`, `MB`, `ms/s`. */
  readonly unit: string;
  /** A figure without bounds is informational. */
  readonly floor?: Bound;
  readonly goal?: Bound;
  /** Smallest and largest of the rounds. */
  readonly spread: readonly [number, number];
  readonly details: Readonly<Record<string, string>>;
}

export interface Bound {
  readonly least?: number;
  readonly most?: number;
}

export const keeps = (value: number, { least, most }: Bound = {}): boolean =>
  (least === undefined || value >= least) && (most === undefined || value <= most);

function result({ value, unit }: Measure, bound: Bound | undefined, words: readonly [string, string]): string {
  if (!bound) return '–';
  const limit = bound.least === undefined ? `≤ ${bound.most}` : `≥ ${bound.least}`;
  return `${limit} ${unit} ${words[keeps(value, bound) ? 0 : 1]}`;
}

export function tableOf(figures: readonly Figure[]): string {
  const rows = figures.flatMap(({ id, title, measures }) =>
    measures.map((measure) => [
      id,
      measure.title === '' ? title : `${title}: ${measure.title}`,
      `${format(measure.value)} ${measure.unit} (${measure.spread.map(format).join('–')})`,
      result(measure, measure.floor, ['kept', 'MISSED']),
      result(measure, measure.goal, ['reached', 'not yet']),
      Object.entries(measure.details)
        .map(([name, value]) => `${name} ${value}`)
        .join(' · '),
    ]),
  );
  const header = ['#', 'figure', 'median (min–max)', 'floor', 'goal', 'behind it'];
  return [header, header.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');
}

export const format = (value: number): string =>
  value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2);

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >>> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

export const percentile = (values: readonly number[], share: number): number =>
  [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.ceil(values.length * share) - 1)]!;

export const overRounds = (values: readonly number[]): Pick<Measure, 'value' | 'spread'> => ({
  value: median(values),
  spread: [Math.min(...values), Math.max(...values)],
});

/** Costs are compared with those of the same round. */
export const ratio = (
  dividends: readonly number[],
  divisors: readonly number[],
): Pick<Measure, 'value' | 'spread' | 'unit'> => ({
  ...overRounds(dividends.map((dividend, i) => dividend / divisors[i]!)),
  unit: 'x',
});
