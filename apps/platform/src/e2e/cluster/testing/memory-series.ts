import type { ProcessHealth } from '@tidings/testing';
import { trendOf } from './trend.ts';

/** Memory at the start of a process is that of code that is being compiled, and of caches that fill. */
const WARM_UP_SHARE = 1 / 3;
const LEAST_WINDOWS = 3;

/** Readings of the health of processes, in windows of equal length. */
export class MemorySeries {
  /** By process, at the end of each window. */
  readonly #heaps = new Map<string, number[]>();
  readonly #delays = new Map<string, number[]>();
  #residentMb = 0;

  /** @param readings those during a window @param last those at its end, after a collection of garbage */
  add(readings: readonly ProcessHealth[], last: readonly ProcessHealth[]): void {
    for (const { name, lagMs } of readings) append(this.#delays, name, lagMs);
    for (const { name, heapMb } of last) append(this.#heaps, name, heapMb);
    this.#residentMb = Math.max(this.#residentMb, ...readings.map(({ residentMb }) => residentMb));
  }

  /** The largest resident memory of a process, in MB. */
  get residentMb(): number {
    return this.#residentMb;
  }

  /** The 99th percentile of the delay of the event loop in the process where it is largest, as the median of its readings, in milliseconds. */
  get delayMs(): number {
    return Math.max(
      0,
      ...[...this.#delays.values()].map((delays) => delays.toSorted((a, b) => a - b)[delays.length >> 1]!),
    );
  }

  /**
   * The trend of the heaps of all processes together, after the first third of the windows: their mean in MB, and the slope in percent of it an hour
   * with its standard error. Undefined for fewer than three such windows.
   */
  heapTrend(
    windowsAnHour: number,
  ): { readonly meanMb: number; readonly slope: number; readonly error: number } | undefined {
    const heaps = [...this.#warm().values()];
    if (heaps.length === 0) return undefined;
    const { mean, slope, error } = trendOf(heaps[0]!.map((_, i) => heaps.reduce((sum, own) => sum + own[i]!, 0)));
    const percentAnHour = (windowsAnHour * 100) / mean;
    return { meanMb: mean, slope: slope * percentAnHour, error: error * percentAnHour };
  }

  /** The slope of the heap of each process in those windows, in MB an hour, with its standard error; the largest first. */
  heapSlopes(windowsAnHour: number): { readonly name: string; readonly slopeMb: number; readonly errorMb: number }[] {
    return [...this.#warm()]
      .map(([name, heaps]) => ({ name, ...trendOf(heaps) }))
      .map(({ name, slope, error }) => ({ name, slopeMb: slope * windowsAnHour, errorMb: error * windowsAnHour }))
      .toSorted((one, other) => other.slopeMb - one.slopeMb);
  }

  /** The heaps of each process after the first third of the windows; empty for fewer than three such windows. */
  #warm(): ReadonlyMap<string, readonly number[]> {
    const windows = Math.min(...[...this.#heaps.values()].map(({ length }) => length));
    const from = Math.ceil(windows * WARM_UP_SHARE);
    if (!(windows - from >= LEAST_WINDOWS)) return new Map();
    return new Map([...this.#heaps].map(([name, heaps]) => [name, heaps.slice(from, windows)]));
  }
}

function append(series: Map<string, number[]>, name: string, value: number): void {
  const own = series.get(name);
  if (own) own.push(value);
  else series.set(name, [value]);
}
