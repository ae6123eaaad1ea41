import type { BounceCategory } from '@tidings/channels';
import { type ChunkStages, confirmedHoursOf, openedHoursOf } from './figures.ts';
import { type HourSets, upToHour } from './hour-sets.ts';

export interface ReportedHour {
  readonly hour: number;
  readonly inWindow: boolean;
}

export interface DeviceOutcome {
  readonly platform: number;
  readonly excluded: string | undefined;
  readonly sentHour: number | undefined;
  readonly error:
    | { readonly category: string; readonly code: string; readonly name: string; readonly hour: number }
    | undefined;
  readonly displayable: boolean;
  readonly confirmed: ReportedHour | undefined;
  readonly opened: ReportedHour | undefined;
  readonly bounce: BounceCategory | undefined;
}

const timeIn = (hours: HourSets, position: number): number | undefined =>
  [...hours].find(([, set]) => set.has(position))?.[0];

function reported(hours: HourSets, position: number, last: number): ReportedHour | undefined {
  const time = timeIn(hours, position);
  return time === undefined ? undefined : { hour: Math.floor(time), inWindow: time <= last };
}

export function deviceOutcomeOf(
  stages: ChunkStages,
  position: number,
  last = Number.POSITIVE_INFINITY,
): DeviceOutcome | undefined {
  const { platform } = stages;
  const none = {
    sentHour: undefined,
    error: undefined,
    displayable: true,
    confirmed: undefined,
    opened: undefined,
    bounce: undefined,
  };
  const excluded = [...stages.excluded].find(([, set]) => set.has(position))?.[0];
  if (excluded !== undefined) return { ...none, platform, excluded };
  if (!stages.eligible.has(position)) return undefined;
  const sent = timeIn(stages.sent, position);
  const errors = stages.failed.flatMap(({ hours, category, code, name }) => {
    const time = timeIn(hours, position);
    return time === undefined ? [] : [{ category, code, name, hour: Math.floor(time) }];
  });
  return {
    platform,
    excluded: undefined,
    sentHour: sent === undefined ? undefined : Math.floor(sent),
    error: errors[0],
    displayable: !stages.notDisplayable.has(position),
    confirmed: reported(confirmedHoursOf(stages, last), position, last),
    opened: reported(openedHoursOf(stages), position, last),
    bounce: [...(stages.mail?.bounced ?? [])].find(([, hours]) => upToHour(hours, last).has(position))?.[0],
  };
}
