const GOLDEN_RATIO = 0.618_033_988_749_895;

const divisorOf = (a: number, b: number): number => (b === 0 ? a : divisorOf(b, a % b));

/** All numbers below `count`, in an order whose every beginning is spread evenly. */
export function* spread(count: number): Iterable<number> {
  let stride = Math.max(1, Math.round(count * GOLDEN_RATIO));
  while (divisorOf(count, stride) !== 1) stride++;
  for (let i = 0, next = 0; i < count; i++, next = (next + stride) % count) yield next;
}
