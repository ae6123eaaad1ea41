import type { MessageOpen } from '@tidings/delivery';
import type { Conversion } from '@tidings/events';
import type { ReportsOfChunk } from '../stages.ts';
import { type Action, type ActivityKey, activityId, blockOf, dayOf } from './activity.ts';

/** The additions of facts to a part of an activity document. */
export type ActivityChange =
  | { readonly key: ActivityKey; readonly part: 'opens'; readonly rows: MessageOpen[] }
  | { readonly key: ActivityKey; readonly part: 'events'; readonly rows: Action[] };

/** Rows by the document that they belong to. */
interface Collected<Row> {
  readonly key: ActivityKey;
  readonly rows: Row[];
}

function collect<Row>(days: Map<string, Collected<Row>>, key: ActivityKey, row: Row): void {
  const id = activityId(key);
  const known = days.get(id);
  if (known) known.rows.push(row);
  else days.set(id, { key, rows: [row] });
}

/** The opens among reports, by block and day. */
export function openChanges(chunks: readonly ReportsOfChunk[]): ActivityChange[] {
  const days = new Map<string, Collected<MessageOpen>>();
  for (const { of, reported } of chunks) {
    const { message, application, chunk } = of;
    for (const { part, platform, positions, seconds } of reported.values()) {
      if (part !== 'opened') continue;
      positions.forEach((position, i) => {
        const second = seconds[i]!;
        const key = { application, chunk, block: blockOf(position), day: dayOf(second) };
        collect(days, key, { position, platform, message, second });
      });
    }
  }
  return [...days.values()].map((day) => ({ ...day, part: 'opens' }));
}

/** The events of devices, by block and day. An event without a name belongs to an erased device, and one without a time or a stamp is unreadable. */
export function actionChanges(conversions: readonly Conversion[]): ActivityChange[] {
  const days = new Map<string, Collected<Action>>();
  for (const { application, chunk, position, at, stamp, name, amount, currency } of conversions) {
    if (name === '' || !at || !stamp) continue;
    const second = Math.floor(at.getTime() / 1000);
    collect(
      days,
      { application, chunk, block: blockOf(position), day: dayOf(second) },
      {
        ...{ position, second, name, amount: currency === undefined ? undefined : amount },
        ...{ commit: Number(stamp.position), index: stamp.index },
      },
    );
  }
  return [...days.values()].map((day) => ({ ...day, part: 'events' }));
}
