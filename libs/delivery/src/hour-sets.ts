import { Bitmap } from '@tidings/kernel';

/**
 * Devices by the hour (since 1970 UTC) of their first event, or by its second, as a fraction of hours, where a report window cuts its hour. The
 * sets are disjoint: a device belongs to the earliest time seen.
 */
export type HourSets = ReadonlyMap<number, Bitmap>;

export const noHours: HourSets = new Map();

/** The hour in which an instant falls, for statistics (R-H5). */
export const hourOf = (at: Date | number): number => Math.floor(Number(at) / 3_600_000);

/** A second (since 1970 UTC) in hours: equal seconds give equal numbers. */
export const hoursOfSecond = (second: number): number => second / 3600;

/**
 * Under which time an event is kept, in hours: its hour or, where that is the one in which the report window ends, its second.
 * @param windowEnd second in which the window ends; undefined while that is not known: then the second counts, and `coarser` makes up for it
 */
export function reportedIn(second: number, windowEnd: number | undefined): number {
  const hour = hourOf(second * 1000);
  return windowEnd === undefined || hourOf(windowEnd * 1000) === hour ? hoursOfSecond(second) : hour;
}

/** The sets by hour, but for the seconds of the hour in which the report window ends. */
export function coarser(hours: HourSets, windowEnd: number): HourSets {
  const last = hourOf(windowEnd * 1000);
  const kept = (time: number): number => (Math.floor(time) === last ? time : Math.floor(time));
  if ([...hours.keys()].every((time) => kept(time) === time)) return hours;
  return mergeHours([...hours].map(([time, set]) => new Map([[kept(time), set]])));
}

/** All devices of all of them, each at its earliest time; order and repeats change nothing (sending 5). */
export function mergeHours(all: readonly HourSets[]): HourSets {
  const sets = new Map<number, Bitmap[]>();
  for (const hours of all) {
    for (const [hour, set] of hours) {
      const present = sets.get(hour);
      if (present) present.push(set);
      else sets.set(hour, [set]);
    }
  }
  const hours = [...sets.keys()].sort((a, b) => a - b);
  return disjoint(new Map(hours.map((hour) => [hour, Bitmap.union(sets.get(hour)!)])));
}

/** @param hours in ascending order. */
function disjoint(hours: HourSets): HourSets {
  // Most devices report once: then nothing has to be taken out of anything.
  if (Bitmap.areDisjoint([...hours.values()])) return hours;
  const first = new Map<number, Bitmap>();
  let earlier = Bitmap.empty;
  for (const [hour, set] of hours) {
    const rest = set.minus(earlier);
    if (rest.size > 0) first.set(hour, rest);
    earlier = earlier.union(set);
  }
  return first;
}

/** The devices whose first event came at `last`, in hours, or before. An hour that began by then counts as a whole. */
export function upToHour(hours: HourSets, last = Number.POSITIVE_INFINITY): Bitmap {
  let all = Bitmap.empty;
  for (const [hour, set] of hours) if (hour <= last) all = all.union(set);
  return all;
}
