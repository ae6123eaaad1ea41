import {
  type ChunkStages,
  conversionRate,
  conversionsOf,
  type HourSets,
  hoursOfSecond,
  intervalTotalsOf,
  upToHour,
} from '@tidings/delivery';
import { Bitmap } from '@tidings/kernel';
import type { TotalsReply } from '@tidings/rpc';
import type { Group } from '../stages.ts';
import type { DatedCredit } from './activity-store.ts';

export interface StagesOfGroup {
  readonly group: Group;
  readonly stages: ChunkStages;
}

const keyOf = ({ application, platform, chunk }: Omit<Group, 'message'>): string =>
  `${application}/${platform}/${chunk}`;

const DAY_SECONDS = 86_400;

const openSetsOf = ({ opened, mail }: ChunkStages): HourSets[] =>
  mail ? [mail.opened.human, mail.opened.unknown, mail.clicked] : [opened];

/** A repeat of an older open looks like the first (R-C11); a first open precedes its event by at most a day. */
function repeatedOpens(stages: ReadonlyMap<string, ChunkStages>): (credit: DatedCredit) => boolean {
  const earlier = new Map<string, Bitmap>();
  return (credit) => {
    const [key, { day, position }] = [keyOf(credit), credit];
    let before = earlier.get(`${key}/${day}`);
    if (!before) {
      const last = hoursOfSecond((day - 1) * DAY_SECONDS - 1);
      const own = stages.get(key);
      before = Bitmap.union(own ? openSetsOf(own).map((hours) => upToHour(hours, last)) : []);
      earlier.set(`${key}/${day}`, before);
    }
    return before.has(position);
  };
}

/** Devices outside the audience do not count (R-H13). */
export function totalsOf(
  groups: readonly StagesOfGroup[],
  credits: readonly DatedCredit[],
  platforms: readonly number[],
): TotalsReply {
  const hours = intervalTotalsOf(
    groups.map(({ stages }) => stages),
    platforms,
  );
  const stagesOf = new Map(groups.map(({ group, stages }) => [keyOf(group), stages]));
  const isRepeated = repeatedOpens(stagesOf);
  const counted = credits.filter(
    (credit) =>
      (platforms.length === 0 || platforms.includes(credit.platform)) &&
      stagesOf.get(keyOf(credit))?.eligible.has(credit.position) &&
      !isRepeated(credit),
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
