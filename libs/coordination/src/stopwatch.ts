import { uptime } from 'node:os';

/** Time between looks at the clock that counts the machine's sleep: each is a call of the system. */
const LOOK_EVERY_MS = 100;

/** Milliseconds since the call, those included in which the machine slept. A clock that is set does not count. */
export function stopwatch(now = (): number => performance.now(), awake = (): number => uptime() * 1000): () => number {
  const [startedAt, sinceBoot] = [now(), awake()];
  let lookedAt = startedAt;
  let slept = 0;
  return () => {
    const elapsed = now() - startedAt;
    if (now() - lookedAt > LOOK_EVERY_MS) {
      lookedAt = now();
      slept = Math.max(slept, awake() - sinceBoot - elapsed);
    }
    return elapsed + slept;
  };
}
