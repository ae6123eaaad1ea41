import type { ProcessHealth } from '@tidings/testing';
import { type Trend, trendOf } from './trend.ts';

/** Share of the windows that is left out: at the start of a process memory grows by code that is compiled, and by caches that fill. */
const WARM_UP_SHARE = 1 / 3;
const LEAST_WINDOWS = 3;

type Heap = Pick<ProcessHealth, 'heapMb' | 'codeMb'>;

/** The trend of the heaps of all processes together. */
export interface HeapTrend {
  readonly meanMb: number;
  /** Slope in percent of the mean per hour. */
  readonly slope: number;
  /** The standard error of the slope. */
  readonly error: number;
  /** The part of the slope that is compiled code. */
  readonly codeSlope: number;
}

/** Readings of the health of processes, in windows of equal length. */
export class MemorySeries {
  /** Heaps at the end of each window, by process. */
  readonly #heaps = new Map<string, Heap[]>();
  readonly #delays = new Map<string, number[]>();
  #residentMb = 0;

  /** @param readings those during a window @param last those at its end, after a collection of garbage */
  add(readings: readonly ProcessHealth[], last: readonly ProcessHealth[]): void {
    for (const { name, lagMs } of readings) append(this.#delays, name, lagMs);
    for (const { name, ...heap } of last) append(this.#heaps, name, heap);
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

  /** The trend after the first third of the windows. Undefined for fewer than three such windows. */
  heapTrend(windowsAnHour: number): HeapTrend | undefined {
    const heaps = [...this.#warm().values()];
    if (heaps.length === 0) return undefined;
    const sumOf = (part: keyof Heap): Trend =>
      trendOf(heaps[0]!.map((_, i) => heaps.reduce((sum, own) => sum + own[i]![part], 0)));
    const { mean, slope, error } = sumOf('heapMb');
    const percentAnHour = (windowsAnHour * 100) / mean;
    return {
      meanMb: mean,
      slope: slope * percentAnHour,
      error: error * percentAnHour,
      codeSlope: sumOf('codeMb').slope * percentAnHour,
    };
  }

  /**
   * The slope of the heap of each process in those windows, without compiled code, in MB an hour, with its standard error; the largest first.
   */
  heapSlopes(windowsAnHour: number): { readonly name: string; readonly slopeMb: number; readonly errorMb: number }[] {
    return [...this.#warm()]
      .map(([name, heaps]) => ({ name, ...trendOf(heaps.map(({ heapMb, codeMb }) => heapMb - codeMb)) }))
      .map(({ name, slope, error }) => ({ name, slopeMb: slope * windowsAnHour, errorMb: error * windowsAnHour }))
      .toSorted((one, other) => other.slopeMb - one.slopeMb);
  }

  /** The heaps of each process after the first third of the windows; empty for fewer than three such windows. */
  #warm(): ReadonlyMap<string, readonly Heap[]> {
    const windows = Math.min(...[...this.#heaps.values()].map(({ length }) => length));
    const from = Math.ceil(windows * WARM_UP_SHARE);
    if (!(windows - from >= LEAST_WINDOWS)) return new Map();
    return new Map([...this.#heaps].map(([name, heaps]) => [name, heaps.slice(from, windows)]));
  }
}

function append<Value>(series: Map<string, Value[]>, name: string, value: Value): void {
  const own = series.get(name);
  if (own) own.push(value);
  else series.set(name, [value]);
}
