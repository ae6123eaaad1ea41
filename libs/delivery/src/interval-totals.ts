import { type ChunkStages, confirmedHoursOf, isOfPlatforms, openedHoursOf, type PlatformMetrics } from './figures.ts';
import type { HourSets } from './hour-sets.ts';
import type { Bitmap } from '@tidings/kernel';

export interface HourTotals extends Omit<PlatformMetrics, 'mail'> {
  readonly hour: number;
}

type Counter = Exclude<keyof HourTotals, 'platform' | 'hour'>;
type Row = { -readonly [Name in keyof HourTotals]: HourTotals[Name] };

const emptyRow = (hour: number, platform: number): Row => ({
  hour,
  platform,
  sends: 0,
  opens: 0,
  deliveries: 0,
  inboxOpens: 0,
  unshowableSends: 0,
  errors: 0,
});

function* countersOf(chunk: ChunkStages): Generator<readonly [Counter, HourSets, within?: Bitmap]> {
  yield ['sends', chunk.sent];
  yield ['unshowableSends', chunk.sent, chunk.notDisplayable];
  yield ['opens', openedHoursOf(chunk), chunk.eligible];
  yield ['deliveries', confirmedHoursOf(chunk), chunk.eligible];
  for (const { hours } of chunk.failed) yield ['errors', hours];
  yield ['inboxOpens', chunk.inbox.entriesOpened];
}

export function intervalTotalsOf(stages: readonly ChunkStages[], platforms: readonly number[]): HourTotals[] {
  const rows = new Map<string, Row>();
  for (const chunk of stages.filter(isOfPlatforms(platforms))) {
    for (const [counter, hours, within] of countersOf(chunk)) {
      for (const [time, set] of hours) {
        const count = within ? set.intersect(within).size : set.size;
        if (count === 0) continue;
        const hour = Math.floor(time);
        const key = `${hour}/${chunk.platform}`;
        let row = rows.get(key);
        if (!row) rows.set(key, (row = emptyRow(hour, chunk.platform)));
        row[counter] += count;
      }
    }
  }
  return [...rows.values()].sort((a, b) => a.hour - b.hour || a.platform - b.platform);
}
