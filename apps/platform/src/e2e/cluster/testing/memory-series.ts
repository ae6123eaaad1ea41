import type { ProcessHealth } from '@tidings/testing';
import { type Trend, trendOf } from './trend.ts';

/** At its start a process grows by compiled code and filling caches. */
const WARM_UP_SHARE = 1 / 3;
const LEAST_WINDOWS = 3;

type Heap = Pick<ProcessHealth, 'heapMb' | 'codeMb'>;

export interface HeapTrend {
  readonly meanMb: number;
  /** Percent of the mean per hour. */
  readonly slope: number;
  readonly error: number;
  readonly codeSlope: number;
}

export class MemorySeries {
  readonly #heaps = new Map<string, Heap[]>();
  readonly #delays = new Map<string, number[]>();
  #residentMb = 0;

  /** @param last at the window's end, after a garbage collection */
  add(readings: readonly ProcessHealth[], last: readonly ProcessHealth[]): void {
    for (const { name, lagMs } of readings) append(this.#delays, name, lagMs);
    for (const { name, ...heap } of last) append(this.#heaps, name, heap);
    this.#residentMb = Math.max(this.#residentMb, ...readings.map(({ residentMb }) => residentMb));
  }

  get residentMb(): number {
    return this.#residentMb;
  }

  /** Milliseconds, of the slowest process, as the median of its readings. */
  get delayMs(): number {
    return Math.max(
      0,
      ...[...this.#delays.values()].map((delays) => delays.toSorted((a, b) => a - b)[delays.length >> 1]!),
    );
  }

  /** Leaves out the first third; undefined for fewer than three windows. */
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

  heapSlopes(windowsAnHour: number): { readonly name: string; readonly slopeMb: number; readonly errorMb: number }[] {
    return [...this.#warm()]
      .map(([name, heaps]) => ({ name, ...trendOf(heaps.map(({ heapMb, codeMb }) => heapMb - codeMb)) }))
      .map(({ name, slope, error }) => ({ name, slopeMb: slope * windowsAnHour, errorMb: error * windowsAnHour }))
      .toSorted((one, other) => other.slopeMb - one.slopeMb);
  }

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
