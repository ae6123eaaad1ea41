import { ChunkSet } from '@tidings/kernel';

/** Devices by the hour (since 1970 UTC) of their first event. The sets are disjoint: a device belongs to the earliest hour seen. */
export type HourSets = ReadonlyMap<number, ChunkSet>;

export const noHours: HourSets = new Map();

/** The hour in which an instant falls, for statistics (R-H5). */
export const hourOf = (at: Date | number): number => Math.floor(Number(at) / 3_600_000);

/** Adds devices to an hour, keeping each in its earliest one; order and repeats of additions change nothing (sending 5). */
export function addToHour(hours: HourSets, hour: number, devices: ChunkSet): HourSets {
  const next = new Map<number, ChunkSet>();
  let rest = devices;
  for (const [other, set] of hours) {
    if (other < hour) rest = rest.minus(set);
    else if (other === hour) rest = rest.union(set);
  }
  for (const [other, set] of hours) {
    const kept = other > hour ? set.minus(devices) : set;
    if (other !== hour && kept.size > 0) next.set(other, kept);
  }
  if (rest.size > 0) next.set(hour, rest);
  return next;
}

/** All devices of both, each in its earliest hour. */
export function mergeHours(a: HourSets, b: HourSets): HourSets {
  let merged = a;
  for (const [hour, set] of b) merged = addToHour(merged, hour, set);
  return merged;
}

/** The devices whose first event came in `lastHour` or before. */
export function upToHour(hours: HourSets, lastHour = Number.POSITIVE_INFINITY): ChunkSet {
  let all = ChunkSet.empty;
  for (const [hour, set] of hours) if (hour <= lastHour) all = all.union(set);
  return all;
}
