import { type LocalTime, type Offsets, type OffsetStep, PastOffsets } from '@tidings/events';

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

const OFFSETS_MINUTES = Array.from({ length: 26 * 60 + 1 }, (_, i) => i - 12 * 60);
const NEAREST_SECONDS = 30;

export interface LocalSchedule {
  readonly localTime: LocalTime;
  readonly acceptedAt: Date;
}

export interface Steps {
  readonly count: number;
  readonly until: Date | undefined;
  readonly areComplete: boolean;
}

export const noSteps: Steps = { count: 0, until: undefined, areComplete: false };

function dueAt(instantMs: number, { localTime, acceptedAt }: LocalSchedule): number | undefined {
  const acceptedMs = acceptedAt.getTime();
  if (instantMs > acceptedMs) return instantMs;
  switch (localTime.pastOffsets) {
    case PastOffsets.PAST_OFFSETS_NEXT_DAY:
      return instantMs + (Math.floor((acceptedMs - instantMs) / DAY_MS) + 1) * DAY_MS;
    case PastOffsets.PAST_OFFSETS_SKIP:
      return undefined;
    default:
      return acceptedMs;
  }
}

const dueAtOffset = (minutes: number, schedule: LocalSchedule): number | undefined =>
  dueAt(schedule.localTime.wallAt!.getTime() - minutes * MINUTE_MS, schedule);

const dueByDefault = (schedule: LocalSchedule): number | undefined =>
  dueAt(schedule.localTime.defaultAt!.getTime(), schedule);

export const isDueEverywhere = ({ wallAt, defaultAt, pastOffsets }: LocalTime, now: Date): boolean =>
  pastOffsets !== PastOffsets.PAST_OFFSETS_NEXT_DAY &&
  pastOffsets !== PastOffsets.PAST_OFFSETS_SKIP &&
  Math.max(wallAt!.getTime() + 12 * HOUR_MS, defaultAt!.getTime()) <= now.getTime();

export function offsetsDue(schedule: LocalSchedule, after: Date | undefined, until: Date | undefined): Offsets {
  const [afterMs, untilMs] = [after?.getTime() ?? -Infinity, until?.getTime() ?? Infinity];
  const isDue = (at: number | undefined): boolean => at !== undefined && at > afterMs && at <= untilMs;
  const ranges: { from: number; to: number }[] = [];
  for (const minutes of OFFSETS_MINUTES) {
    if (!isDue(dueAtOffset(minutes, schedule))) continue;
    const [from, to] = [minutes * 60 - NEAREST_SECONDS, minutes * 60 + NEAREST_SECONDS - 1];
    const last = ranges.at(-1);
    if (last?.to === from - 1) last.to = to;
    else ranges.push({ from, to });
  }
  return { ranges, without: isDue(dueByDefault(schedule)) };
}

export const areNone = ({ ranges, without }: Offsets): boolean => ranges.length === 0 && !without;

function offsetsEverDue(schedule: LocalSchedule): Offsets | undefined {
  return schedule.localTime.pastOffsets === PastOffsets.PAST_OFFSETS_SKIP
    ? offsetsDue(schedule, undefined, undefined)
    : undefined;
}

export function nextDue(schedule: LocalSchedule, after: Date | undefined): Date | undefined {
  const afterMs = after?.getTime() ?? -Infinity;
  let next = Infinity;
  for (const due of [dueByDefault(schedule), ...OFFSETS_MINUTES.map((minutes) => dueAtOffset(minutes, schedule))]) {
    if (due !== undefined && due > afterMs && due < next) next = due;
  }
  if (next < Infinity) return new Date(next);
  return after ? undefined : schedule.acceptedAt;
}

export interface AudienceDue {
  readonly now: boolean;
  readonly later: boolean;
}

export interface StepDue {
  readonly areDue: boolean;
  readonly isLast: boolean;
}

export function stepDue(
  schedule: LocalSchedule & { readonly steps: Steps },
  audience: AudienceDue,
  at: Date,
): StepDue | undefined {
  if (audience.now) return { areDue: true, isLast: !audience.later };
  if (audience.later) return undefined;
  const byDefault = dueByDefault(schedule);
  const isEmpty = schedule.steps.count === 0;
  return isEmpty && byDefault !== undefined && byDefault > at.getTime() ? undefined : { areDue: false, isLast: true };
}

export function stepsAt(
  schedule: LocalSchedule,
  { count, until }: Steps,
  { at, areDue, isLast }: StepDue & { readonly at: Date },
): readonly OffsetStep[] {
  const all = { offsets: offsetsEverDue(schedule), last: true };
  if (isLast && count === 0) return [{ bucket: 1, ...all }];
  const due = offsetsDue(schedule, until, at);
  const steps: OffsetStep[] = !areDue || areNone(due) ? [] : [{ bucket: count + 1, offsets: due, last: false }];
  return isLast ? [...steps, { bucket: count + steps.length + 1, ...all }] : steps;
}
