import type { Conversion } from '@tidings/events';
import type { ReportsOfChunk } from '../report-changes.ts';
import type { PartName } from '../stages.ts';
import { type Action, type ActivityKey, activityId, blockOf, dayOf, type DeviceOpens } from './activity.ts';

export type ActivityChange =
  | { readonly key: ActivityKey; readonly part: 'opens'; readonly opens: DeviceOpens }
  | { readonly key: ActivityKey; readonly part: 'events'; readonly rows: Action[] };

const DAYS = 2 ** 20;

const OPENS: ReadonlySet<PartName> = new Set(['opened', 'mailOpened', 'mailOpenedUnknown', 'mailClicked']);

export function openChanges(chunks: readonly ReportsOfChunk[]): ActivityChange[] {
  const changes: ActivityChange[] = [];
  for (const { of, reported } of chunks) {
    const { message, application, chunk } = of;
    for (const { part, platform, positions, seconds } of reported.values()) {
      if (!OPENS.has(part)) continue;
      const days = new Map<number, DeviceOpens>();
      for (let i = 0; i < positions.length; i++) {
        const [block, day] = [blockOf('opens', positions[i]!), dayOf(seconds[i]!)];
        let opens = days.get(block * DAYS + day);
        if (!opens) {
          opens = { message, platform, positions: [], seconds: [] };
          days.set(block * DAYS + day, opens);
          changes.push({ key: { application, chunk, block, day }, part: 'opens', opens });
        }
        opens.positions.push(positions[i]!);
        opens.seconds.push(seconds[i]!);
      }
    }
  }
  return changes;
}

export function actionChanges(conversions: readonly Conversion[]): ActivityChange[] {
  const days = new Map<string, { readonly key: ActivityKey; readonly rows: Action[] }>();
  for (const { application, chunk, position, at, stamp, name, amount, currency } of conversions) {
    if (name === '' || !at || !stamp) continue;
    const second = Math.floor(at.getTime() / 1000);
    const key = { application, chunk, block: blockOf('events', position), day: dayOf(second) };
    const id = activityId('events', key);
    let day = days.get(id);
    if (!day) days.set(id, (day = { key, rows: [] }));
    day.rows.push({
      position,
      second,
      name,
      amount: currency === undefined ? undefined : amount,
      commit: Number(stamp.position),
      index: stamp.index,
    });
  }
  return [...days.values()].map((day) => ({ ...day, part: 'events' }));
}
