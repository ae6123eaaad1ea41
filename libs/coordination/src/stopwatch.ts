/**
 * Milliseconds since the call. Two clocks count, and the later one wins: the steady one stands still while the machine sleeps, the other
 * can be set.
 */
export function stopwatch(): () => number {
  const [wall, steady] = [Date.now(), performance.now()];
  return () => Math.max(Date.now() - wall, performance.now() - steady);
}
