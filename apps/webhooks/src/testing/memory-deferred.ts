import type { DeferredEvent, DeferredPair, DeferredStore } from '../streams/deferred/deferred-store.ts';
import { isSamePosition } from '../streams/unacked.ts';

const firstTwo = (pair: DeferredPair): DeferredPair => ({ ...pair, events: pair.events.slice(0, 2) });

export function memoryDeferred(): DeferredStore {
  const pairs = new Map<string, DeferredPair>();
  const sorted = (by: (pair: DeferredPair) => number, limit: number): DeferredPair[] =>
    [...pairs.values()]
      .toSorted((one, other) => by(one) - by(other))
      .slice(0, limit)
      .map(firstTwo);
  const setEvents = (pair: DeferredPair, events: readonly DeferredEvent[]): void => {
    if (events.length === 0) pairs.delete(pair.key);
    else pairs.set(pair.key, { ...pair, events });
  };
  return {
    size: async () => [...pairs.values()].reduce((sum, { events }) => sum + events.length, 0),
    lastOf: async (keys) =>
      new Map(
        keys.flatMap((key) => {
          const last = pairs.get(key)?.events.at(-1);
          return last ? [[key, last] as const] : [];
        }),
      ),
    async add(added) {
      for (const pair of added) {
        const existing = pairs.get(pair.key);
        setEvents(existing ?? pair, [...(existing?.events ?? []), ...pair.events]);
      }
    },
    async apply(changes) {
      for (const change of changes) {
        const pair = pairs.get(change.key);
        if (!pair) continue;
        if (change.kind === 'failed') pairs.set(pair.key, { ...pair, failures: change.failures, at: change.at });
        else if (pair.events.some((event) => isSamePosition(event, change.event))) {
          const remaining = pair.events.filter((event) => !isSamePosition(event, change.event));
          setEvents({ ...pair, failures: 0, at: 0 }, remaining);
        }
      }
    },
    async makeDue(at) {
      const later = [...pairs.values()].filter((pair) => pair.at > at);
      for (const pair of later) pairs.set(pair.key, { ...pair, at: 0 });
      return later.length;
    },
    soonest: async (limit) => sorted(({ at }) => at, limit),
    oldest: async (limit) => sorted(({ events }) => events[0]!.enqueuedAt, limit),
  };
}
