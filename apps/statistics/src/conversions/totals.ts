import { type ChunkStages, conversionRate, conversionsOf, intervalTotalsOf } from '@tidings/delivery';
import type { TotalsReply } from '@tidings/rpc';
import type { Group } from '../stages.ts';
import type { PlacedCredit } from './activity-store.ts';

/** The sets of a group, and its key. */
export interface StagesOfGroup {
  readonly group: Group;
  readonly stages: ChunkStages;
}

const keyOf = ({ application, platform, chunk }: Omit<Group, 'message'>): string =>
  `${application}/${platform}/${chunk}`;

/**
 * Metrics by hour, and conversions relative to the opens of all hours (R-H5, R-H6). A credit counts if its device is in the audience: reports of other
 * devices count nowhere (R-H13).
 * @param platforms empty = all
 */
export function totalsOf(
  groups: readonly StagesOfGroup[],
  credits: readonly PlacedCredit[],
  platforms: readonly number[],
): TotalsReply {
  const hours = intervalTotalsOf(
    groups.map(({ stages }) => stages),
    platforms,
  );
  const eligible = new Map(groups.map(({ group, stages }) => [keyOf(group), stages.eligible]));
  const counted = credits.filter(
    (credit) =>
      (platforms.length === 0 || platforms.includes(credit.platform)) &&
      eligible.get(keyOf(credit))?.has(credit.position),
  );
  const sum = (counter: 'sends' | 'opens'): number => hours.reduce((total, hour) => total + hour[counter], 0);
  const opens = sum('opens');
  return {
    hours,
    sends: sum('sends'),
    opens,
    events: conversionsOf(counted).map((event) => ({ ...event, conversion: conversionRate(event.hits, opens) })),
  };
}
