export interface Trend {
  readonly mean: number;
  readonly slope: number;
  readonly error: number;
}

/** Least squares, at equal distances. @param values at least three */
export function trendOf(values: readonly number[]): Trend {
  const n = values.length;
  const mean = values.reduce((sum, value) => sum + value, 0) / n;
  const middle = (n - 1) / 2;
  let [squares, products] = [0, 0];
  for (const [i, value] of values.entries()) {
    squares += (i - middle) ** 2;
    products += (i - middle) * (value - mean);
  }
  const slope = products / squares;
  const residuals = values.reduce((sum, value, i) => sum + (value - mean - slope * (i - middle)) ** 2, 0);
  return { mean, slope, error: Math.sqrt(residuals / (n - 2) / squares) };
}
