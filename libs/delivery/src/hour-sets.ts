import { Bitmap } from '@tidings/kernel';

/** Each device is in the set of its earliest hour since 1970 UTC. */
export type HourSets = ReadonlyMap<number, Bitmap>;

export const noHours: HourSets = new Map();

export const hourOf = (at: Date | number): number => Math.floor(Number(at) / 3_600_000);

export const hoursOfSecond = (second: number): number => second / 3600;

export const isBySecond = (hour: number, windowEnd: number | undefined): boolean =>
  windowEnd === undefined || hourOf(windowEnd * 1000) === hour;

export function coarser(hours: HourSets, windowEnd: number): HourSets {
  const last = hourOf(windowEnd * 1000);
  const kept = (time: number): number => (Math.floor(time) === last ? time : Math.floor(time));
  if ([...hours.keys()].every((time) => kept(time) === time)) return hours;
  return mergeHours([...hours].map(([time, set]) => new Map([[kept(time), set]])));
}

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

function disjoint(hours: HourSets): HourSets {
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

export function hoursWithout(hours: HourSets, others: Bitmap): HourSets {
  if (others.size === 0) return hours;
  const rest = [...hours].map(([hour, set]) => [hour, set.minus(others)] as const);
  return new Map(rest.filter(([, set]) => set.size > 0));
}

export const upToHour = (hours: HourSets, last?: number): Bitmap => upToHourOfAny([hours], last);

export function upToHourOfAny(all: readonly HourSets[], last = Number.POSITIVE_INFINITY): Bitmap {
  const sets: Bitmap[] = [];
  for (const hours of all) for (const [hour, set] of hours) if (hour <= last) sets.push(set);
  return Bitmap.union(sets);
}
