import { createHash } from 'node:crypto';
import { coarser } from '@tidings/delivery';
import { Bitmap } from '@tidings/kernel';
import { Binary, type Db } from 'mongodb';
import { openActivityStore } from '../conversions/activity-store.ts';
import { inGeneration } from '../storage/in-generation.ts';
import { projectionStates } from '../projections/projection-states.ts';
import { openStatisticsModel } from '../projections/statistics-model.ts';
import { activitiesModel } from '../storage/activities.schema.ts';
import { groupsModel, type HoursDocument, messagesModel } from '../storage/statistics.schema.ts';

/** They depend on how facts were batched, or on the time of the first write. */
const VOLATILE: ReadonlySet<string> = new Set(['rev', 'version', 'createdAt', 'dueAt']);

/** No report is of this time, so every set is of a whole hour. */
const NO_WINDOW = -3_600;

function wholeHours(hours: HoursDocument): unknown {
  const sets = new Map(hours.map(([time, set]) => [time, Bitmap.decode(set.buffer)]));
  return [...coarser(sets, NO_WINDOW)].map(([hour, set]) => [hour, [...set.positions()]]);
}

const stable = (value: unknown): string =>
  JSON.stringify(value, (_, each: unknown) =>
    each !== null && typeof each === 'object' && !Array.isArray(each) && !(each instanceof Date)
      ? Object.fromEntries(Object.entries(each).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : each,
  );

function content(value: unknown): unknown {
  if (value instanceof Binary) return value.toString('base64');
  if (Array.isArray(value)) return value.map(content);
  if (value === null || typeof value !== 'object' || value instanceof Date) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, field]) => {
      if (VOLATILE.has(name)) return [];
      return [[name, name === 'hours' ? wholeHours(field as HoursDocument) : content(field)]];
    }),
  );
}

/** After retention, which a replay applies only at its end. Messages with `removeAt` have no figures any more. */
export async function documentHashes(db: Db, now: Date): Promise<ReadonlyMap<string, string>> {
  const { live } = await projectionStates(db).read();
  await openStatisticsModel(db, live.statistics).expire(now, new AbortController().signal);
  await openActivityStore(db, live.conversions).expire(now);
  const hashes = new Map<string, string>();
  const models = [
    [messagesModel, live.statistics],
    [groupsModel, live.statistics],
    [activitiesModel, live.conversions],
  ] as const;
  for (const [model, generation] of models) {
    const documents = db
      .collection<{ _id: string }>(inGeneration(model, generation).name)
      .find({ removeAt: { $exists: false } });
    for await (const { _id, ...fields } of documents) {
      hashes.set(
        `${model.name} ${_id}`,
        createHash('sha256')
          .update(stable(content(fields)))
          .digest('hex'),
      );
    }
  }
  return hashes;
}
