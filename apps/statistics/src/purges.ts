import { collectionOf, DUPLICATE_KEY, tryUpdates } from '@tidings/mongo';
import type { OpenDeletion } from '@tidings/runtime';
import { type Db, MongoServerError } from 'mongodb';
import type { FactBatch } from './fact-batch.ts';
import { STATE_MAX_AGE_MS } from './projections/read-models.ts';
import {
  PURGED_KEPT_MS,
  type PurgedApplication,
  purgedApplicationsModel,
} from './storage/purged-applications.schema.ts';

const REPEAT_DELAY_MS = 10_000;
const AT_ONCE = 100;

export interface Purges {
  /** Resolves when durable; other processes know them within half a second. */
  record(applications: readonly string[], now: Date): Promise<void>;
  deleted(): Promise<ReadonlySet<string>>;
  repeat(now: Date, forget: (applications: readonly string[]) => Promise<void>): Promise<void>;
  open(now: Date): Promise<OpenDeletion[]>;
}

export function openPurges(db: Db): Purges {
  const purges = collectionOf(db, purgedApplicationsModel);
  let cached: { readonly readAt: number; readonly deleted: Promise<ReadonlySet<string>> } | undefined;
  let recordedAt = -Infinity;
  const read = async (): Promise<ReadonlySet<string>> => {
    const found = await purges.find({}, { projection: { _id: 1 } }).toArray();
    return new Set(found.map(({ _id }) => _id));
  };
  const due = async (now: Date): Promise<string[]> => {
    const found = await purges
      .find({ dueAt: { $lte: now } })
      .limit(AT_ONCE)
      .toArray();
    return found.map(({ _id }) => _id);
  };
  return {
    async record(applications, now) {
      if (applications.length === 0) return;
      const dueAt = new Date(now.getTime() + REPEAT_DELAY_MS);
      const { refused } = await tryUpdates<PurgedApplication>(
        db,
        purgedApplicationsModel.name,
        applications.map((_id) => ({ q: { _id }, u: { $setOnInsert: { purgedAt: now, dueAt } }, upsert: true })),
      );
      const error = refused.find(({ code }) => code !== DUPLICATE_KEY);
      if (error) throw new MongoServerError({ ...error });
      recordedAt = performance.now();
    },
    deleted() {
      const now = performance.now();
      if (!cached || cached.readAt <= recordedAt || now - cached.readAt >= STATE_MAX_AGE_MS) {
        const started = { readAt: now, deleted: read() };
        started.deleted.catch(() => (cached = cached === started ? undefined : cached));
        cached = started;
      }
      return cached.deleted;
    },
    async repeat(now, forget) {
      const applications = await due(now);
      if (applications.length > 0) {
        await forget(applications);
        await purges.updateMany({ _id: { $in: applications } }, { $unset: { dueAt: '' } });
      }
      const old = new Date(now.getTime() - PURGED_KEPT_MS);
      await purges.deleteMany({ purgedAt: { $lt: old }, dueAt: { $exists: false } });
    },
    open: async (now) =>
      (await due(now)).map((application) => ({ service: 'statistics', application, devices: undefined })),
  };
}

export function withoutDeleted(facts: FactBatch, deleted: ReadonlySet<string>): FactBatch {
  if (deleted.size === 0) return facts;
  const { events, own, reported } = facts.statistics;
  return {
    ...facts,
    statistics: {
      events,
      own: own.filter(({ group }) => !deleted.has(group.application)),
      reported: reported.filter(({ of }) => !deleted.has(of.application)),
    },
    activity: facts.activity.filter(({ key }) => !deleted.has(key.application)),
  };
}
