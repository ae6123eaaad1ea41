import { ChunkSet } from '@tidings/kernel';

/** Devices by the hour (since 1970 UTC) of their first event. The sets are disjoint: a device belongs to the earliest hour seen. */
export type HourSets = ReadonlyMap<number, ChunkSet>;

export const noHours: HourSets = new Map();

/** The hour in which an instant falls, for statistics (R-H5). */
export const hourOf = (at: Date | number): number => Math.floor(Number(at) / 3_600_000);

/** All devices of all of them, each in its earliest hour; order and repeats change nothing (sending 5). */
export function mergeHours(all: readonly HourSets[]): HourSets {
  const sets = new Map<number, ChunkSet[]>();
  for (const hours of all) {
    for (const [hour, set] of hours) {
      const present = sets.get(hour);
      if (present) present.push(set);
      else sets.set(hour, [set]);
    }
  }
  const hours = [...sets.keys()].sort((a, b) => a - b);
  return disjoint(new Map(hours.map((hour) => [hour, ChunkSet.union(sets.get(hour)!)])));
}

/** @param hours in ascending order. */
function disjoint(hours: HourSets): HourSets {
  // Most devices report once: then nothing has to be taken out of anything.
  if (ChunkSet.areDisjoint([...hours.values()])) return hours;
  const first = new Map<number, ChunkSet>();
  let earlier = ChunkSet.empty;
  for (const [hour, set] of hours) {
    const rest = set.minus(earlier);
    if (rest.size > 0) first.set(hour, rest);
    earlier = earlier.union(set);
  }
  return first;
}

/** The devices whose first event came in `lastHour` or before. */
export function upToHour(hours: HourSets, lastHour = Number.POSITIVE_INFINITY): ChunkSet {
  let all = ChunkSet.empty;
  for (const [hour, set] of hours) if (hour <= lastHour) all = all.union(set);
  return all;
}
