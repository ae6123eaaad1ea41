import { uptime } from 'node:os';

/** Each look is a system call. */
const CHECK_INTERVAL_MS = 100;

/** Includes the machine's sleep, ignores set clocks. */
export function stopwatch(now = (): number => performance.now(), awake = (): number => uptime() * 1000): () => number {
  const [startedAt, sinceBoot] = [now(), awake()];
  let checkedAt = startedAt;
  let slept = 0;
  return () => {
    const elapsed = now() - startedAt;
    if (now() - checkedAt > CHECK_INTERVAL_MS) {
      checkedAt = now();
      slept = Math.max(slept, awake() - sinceBoot - elapsed);
    }
    return elapsed + slept;
  };
}
