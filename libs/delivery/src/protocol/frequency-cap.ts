import { Bitmap, PositionCounts } from '@tidings/kernel';

const DAY_MS = 86_400_000;
const ENTRIES_MAX = 512;
const PAGE_BYTES = 1024 * 1024;
const ENTRIES_LARGE = 64;
const FEW = 256;

export const CAPPING_DAYS_MAX = 30;

export interface FrequencyCap {
  readonly days: number;
  readonly count: number;
}

export interface CountedSends {
  readonly from: number;
  readonly to: number;
  /** Binary digits of each device's count, lowest first, as encoded bitmaps. */
  readonly digits: readonly Uint8Array[];
}

export interface CountedPage {
  readonly sends: readonly CountedSends[];
}

export const emptyPage: CountedPage = { sends: [] };

export const dayOf = (ms: number): number => Math.floor(ms / DAY_MS);

/** Another process's clock may be ahead, beyond midnight. */
export function cappingDays({ days }: Pick<FrequencyCap, 'days'>, at: number): number[] {
  const first = dayOf(at - days * DAY_MS);
  return Array.from({ length: dayOf(at) + 2 - first }, (_, i) => first + i);
}

export const firstDayNeeded = (now: number): number => dayOf(now) - CAPPING_DAYS_MAX - 1;

const decoded = new WeakMap<Uint8Array, Bitmap>();

function setOf(bytes: Uint8Array): Bitmap {
  let set = decoded.get(bytes);
  if (!set) decoded.set(bytes, (set = Bitmap.decode(bytes)));
  return set;
}

const countsOf = ({ digits }: CountedSends): PositionCounts => PositionCounts.of(digits.map(setOf));
const digitsOf = (counts: PositionCounts): Uint8Array[] => counts.digits().map((set) => set.encode());
const bytesOf = ({ digits }: CountedSends): number => digits.reduce((sum, { length }) => sum + length, 0);

export function withSends({ sends }: CountedPage, set: Bitmap, at: number): CountedPage {
  if (set.size === 0) return { sends };
  const index = sends.findIndex(({ to }) => at <= to);
  const found = sends[index];
  if (found && found.from <= at) {
    const counts = countsOf(found);
    counts.add(set);
    return merged(sends.with(index, { ...found, digits: digitsOf(counts) }));
  }
  return merged(sends.toSpliced(found ? index : sends.length, 0, { from: at, to: at, digits: [set.encode()] }));
}

export function withoutSends({ sends }: CountedPage, set: Bitmap, at: number): CountedPage {
  const index = sends.findIndex(({ from, to }) => from <= at && at <= to);
  const found = sends[index];
  if (!found) return { sends };
  const counts = countsOf(found);
  counts.subtract(set);
  const digits = digitsOf(counts);
  return { sends: digits.length > 0 ? sends.with(index, { ...found, digits }) : sends.toSpliced(index, 1) };
}

/** Neighbours merge at the later time: a device may wait longer, but never gets a send too many. */
function merged(sends: readonly CountedSends[]): CountedPage {
  let page = sends;
  let bytes = sends.reduce((sum, each) => sum + bytesOf(each), 0);
  while (page.length > ENTRIES_MAX || (bytes > PAGE_BYTES && page.length > ENTRIES_LARGE)) {
    let closest = 0;
    const spanAt = (i: number): number => page[i + 1]!.to - page[i]!.from;
    for (let i = 1; i + 1 < page.length; i++) if (spanAt(i) < spanAt(closest)) closest = i;
    const [first, second] = [page[closest]!, page[closest + 1]!];
    const counts = countsOf(first);
    second.digits.forEach((digit, i) => counts.add(setOf(digit), i));
    const both = { from: first.from, to: second.to, digits: digitsOf(counts) };
    bytes += bytesOf(both) - bytesOf(first) - bytesOf(second);
    page = page.toSpliced(closest, 2, both);
  }
  return { sends: page };
}

export function devicesAtCap(
  devices: Uint16Array,
  pages: readonly CountedPage[],
  { days, count }: FrequencyCap,
  at: number,
): Bitmap {
  const since = at - days * DAY_MS;
  const sends = pages.flatMap((page) => page.sends).filter(({ to }) => to > since);
  const digits = sends.flatMap((each) => each.digits.map((bytes, digit) => ({ set: setOf(bytes), digit })));
  if (devices.length <= FEW) {
    const countOf = (position: number): number =>
      digits.reduce((sum, { set, digit }) => (set.has(position) ? sum + 2 ** digit : sum), 0);
    return Bitmap.of(devices.filter((position) => countOf(position) >= count));
  }
  const counts = new PositionCounts();
  for (const { set, digit } of digits) counts.add(set, digit);
  return counts.atLeast(count).intersect(Bitmap.of(devices));
}
