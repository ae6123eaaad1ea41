import type { BounceCategory } from '@tidings/channels';
import { type ChunkStages, confirmedHoursOf, openedHoursOf } from './figures.ts';
import { type HourSets, upToHour } from './hour-sets.ts';

/** When a device reported, and whether that counts in the rows of the funnel (R-H17). */
export interface ReportedHour {
  /** Hours since 1970 UTC. */
  readonly hour: number;
  readonly inWindow: boolean;
}

/** The outcome of one device of a message: its place in the sets that the funnel is counted from. */
export interface DeviceOutcome {
  readonly platform: number;
  /** The category of an excluded device; undefined for an eligible one. */
  readonly excluded: string | undefined;
  /** Hours since 1970 UTC; undefined if it was not sent to. */
  readonly sentHour: number | undefined;
  readonly error:
    | { readonly category: string; readonly code: string; readonly name: string; readonly hour: number }
    | undefined;
  /** Whether notifications were on, for a device that was sent to. */
  readonly displayable: boolean;
  /** Delivered or opened, whichever came first (R-C11). */
  readonly confirmed: ReportedHour | undefined;
  readonly opened: ReportedHour | undefined;
  /** The category of the bounce of an e-mail; undefined without one in the window. */
  readonly bounce: BounceCategory | undefined;
}

const timeIn = (hours: HourSets, position: number): number | undefined =>
  [...hours].find(([, set]) => set.has(position))?.[0];

function reported(hours: HourSets, position: number, last: number): ReportedHour | undefined {
  const time = timeIn(hours, position);
  return time === undefined ? undefined : { hour: Math.floor(time), inWindow: time <= last };
}

/**
 * The outcome of the device at a position; undefined if the message does not address it on this platform. Summed over all devices, outcomes are the
 * funnel.
 * @param last time until which reports count in the rows, in hours @default all count
 */
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
