import { setTimeout as delay } from 'node:timers/promises';

const CLOSED_WITHIN_MS = 10_000;

export function openResources(): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const kind of process.getActiveResourcesInfo()) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return counts;
}

/** Gives sockets time to end first. */
export async function leftOpen(before: ReadonlyMap<string, number>): Promise<string[]> {
  const deadline = performance.now() + CLOSED_WITHIN_MS;
  for (;;) {
    const more = [...openResources()].filter(([kind, count]) => count > (before.get(kind) ?? 0));
    if (more.length === 0 || performance.now() > deadline) return more.map(([kind, count]) => `${kind}: ${count}`);
    await delay(20, undefined, { ref: false });
  }
}
