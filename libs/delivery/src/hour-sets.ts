import { Bitmap } from '@tidings/kernel';

/**
 * Devices by the hour (since 1970 UTC) of their first event, or by its second, as a fraction of hours, in the hour that a report window ends in. The
 * sets are disjoint: a device belongs to its earliest time.
 */
export type HourSets = ReadonlyMap<number, Bitmap>;

export const noHours: HourSets = new Map();

/** The hour of an instant, for statistics (R-H5). */
export const hourOf = (at: Date | number): number => Math.floor(Number(at) / 3_600_000);

/** A second (since 1970 UTC) in hours: equal seconds give equal numbers. */
export const hoursOfSecond = (second: number): number => second / 3600;

/**
 * Whether events of an hour are stored by their second: in the hour that the report window ends in, and while its end is unknown; then `coarser` merges
 * them later.
 * @param windowEnd last second of the window
 */
export const isBySecond = (hour: number, windowEnd: number | undefined): boolean =>
  windowEnd === undefined || hourOf(windowEnd * 1000) === hour;

/** The sets by hour, except the seconds of the hour in which the report window ends. */
export function coarser(hours: HourSets, windowEnd: number): HourSets {
  const last = hourOf(windowEnd * 1000);
  const kept = (time: number): number => (Math.floor(time) === last ? time : Math.floor(time));
  if ([...hours.keys()].every((time) => kept(time) === time)) return hours;
  return mergeHours([...hours].map(([time, set]) => new Map([[kept(time), set]])));
}

/** The union of all, each device at its earliest time; independent of order and repeats (sending 5). */
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

/** Removes devices from later hours. @param hours in ascending order */
function disjoint(hours: HourSets): HourSets {
  // Devices usually report once: then nothing has to be removed.
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

/** The sets without these devices. */
export function hoursWithout(hours: HourSets, others: Bitmap): HourSets {
  if (others.size === 0) return hours;
  const rest = [...hours].map(([hour, set]) => [hour, set.minus(others)] as const);
  return new Map(rest.filter(([, set]) => set.size > 0));
}

/** The devices whose first event is at or before `last`, in hours. An hour that began by then counts as a whole. */
export const upToHour = (hours: HourSets, last?: number): Bitmap => upToHourOfAny([hours], last);

/** The same for the first event of any of these kinds. */
export function upToHourOfAny(all: readonly HourSets[], last = Number.POSITIVE_INFINITY): Bitmap {
  const sets: Bitmap[] = [];
  for (const hours of all) for (const [hour, set] of hours) if (hour <= last) sets.push(set);
  return Bitmap.union(sets);
}
