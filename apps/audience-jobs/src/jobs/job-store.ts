import { JobKind } from '@tidings/events';
import { type Job, type Queue, LONGEST_RETRY_MS } from '@tidings/jobs';
import { type Clock, trustedTime, isDue } from '@tidings/kernel';
import { behind, collectionOf, modelOf, dueFilter, readPage, sortOf } from '@tidings/mongo';
import type { Db } from 'mongodb';
import { type JobDocument, jobOf, queueKey, queueOf } from './job-log.ts';
import type { OrphanRemoval } from './orphan-removal.ts';
import { jobsModel } from './storage/jobs.schema.ts';
import { KEPT_MS, ORPHANS_KEPT_MS } from './storage/retention.ts';

const PAGE = 100;

const newestFirst = { field: 'acceptedAt', isTime: true, isDescending: true };

type Stored = JobDocument & { readonly _id: string };

export interface JobStore {
  find(id: string): Promise<Job | undefined>;
  /** Newest first. */
  list(account: string, after: string, limit: number): Promise<{ readonly jobs: Job[]; readonly next: string }>;
  due(limit: number): Promise<Job[]>;
  queues(): Promise<Queue[]>;
  /** Bulk jobs wait for the first one, even a deferred one. */
  startable(queue: Queue): AsyncIterable<Job>;
  open(queue: Queue): Promise<Map<string, number>>;
  completedOf(second: Date): Promise<Job[]>;
  idsOf(queue: Queue, status: Job['status'], after?: string): Promise<string[]>;
  unknownOf(ids: readonly string[]): Promise<string[]>;
  remove(ids: readonly string[]): Promise<void>;
  removeOrphans(ids: readonly string[]): Promise<void>;
  removeExpired(): Promise<void>;
}

export function openJobStore(db: Db, clock: Clock, orphanRemovals: readonly OrphanRemoval[]): JobStore {
  const jobs = modelOf(db, jobsModel);
  const shownFrom = (): Date => new Date(trustedTime(clock) - KEPT_MS);
  const removeOrphans = async (ids: readonly string[]): Promise<void> => {
    for (const each of orphanRemovals) await each.remove(ids);
  };
  const remove = async (ids: readonly string[]): Promise<void> => {
    await removeOrphans(ids);
    await collectionOf(db, jobsModel).deleteMany({ _id: { $in: [...ids] } });
  };
  return {
    remove,
    removeOrphans,
    async idsOf(queue, status, after) {
      const filter = { status, queue: queueKey(queue), ...(after !== undefined && { _id: { $gt: after } }) };
      const found = await jobs.find(filter, { _id: 1 }).sort({ _id: 1 }).limit(PAGE).lean();
      return found.map(({ _id }) => _id);
    },
    async find(id) {
      const found = await jobs.findOne({ _id: id }).lean<Stored | null>();
      return !found || (found.finishedAt && found.finishedAt < shownFrom()) ? undefined : jobOf(found);
    },
    async list(account, after, limit) {
      const listed = { account, ...behind(newestFirst, after) };
      const found = jobs.find(listed).sort(sortOf(newestFirst)).hint('account_accepted');
      const { entries, next } = await readPage<Stored>(found, newestFirst, undefined, limit);
      return { jobs: entries.filter(({ finishedAt }) => !finishedAt || finishedAt >= shownFrom()).map(jobOf), next };
    },
    async due(limit) {
      const filter = { status: 'Pending', ...dueFilter('retryAt', clock.now(), LONGEST_RETRY_MS) } as const;
      const found = await jobs.find(filter).sort({ acceptedAt: 1 }).hint('due').limit(limit).lean<Stored[]>();
      return found.map(jobOf);
    },
    queues: async () => (await jobs.distinct('queue', { status: 'Pending' })).map(queueOf),
    async *startable(queue) {
      let isBegun = false;
      const pending = { status: 'Pending', queue: queueKey(queue) } as const;
      const ordered = jobs.find(pending).sort({ acceptedAt: 1 }).hint('queue');
      for await (const found of ordered.lean<Stored[]>().cursor() as AsyncIterable<Stored>) {
        const job = jobOf(found);
        if (job.accepted.kind !== JobKind.JOB_KIND_EXPORT) {
          if (isBegun) continue;
          isBegun = true;
        }
        if (isDue(found.retryAt!.getTime(), clock.now(), LONGEST_RETRY_MS)) yield job;
      }
    },
    async open(queue) {
      const pending = { status: 'Pending', queue: queueKey(queue) } as const;
      const found = await jobs.find(pending, { bytes: 1 }).hint('queue').lean<Pick<Stored, '_id' | 'bytes'>[]>();
      return new Map(found.map(({ _id, bytes }) => [_id, bytes]));
    },
    async completedOf(second) {
      const acceptedAt = { $gte: second, $lt: new Date(second.getTime() + 1000) };
      const found = await jobs.find({ status: 'Completed', acceptedAt }).hint('due').lean<Stored[]>();
      return found.filter(({ finishedAt }) => finishedAt && finishedAt >= shownFrom()).map(jobOf);
    },
    async unknownOf(ids) {
      const found = await jobs.find({ _id: { $in: [...ids] } }, { _id: 1 }).lean();
      const existing = new Set(found.map(({ _id }) => _id));
      return ids.filter((id) => !existing.has(id));
    },
    async removeExpired() {
      for (;;) {
        const past = await jobs
          .find({ finishedAt: { $lt: shownFrom() } }, { _id: 1 })
          .limit(PAGE)
          .lean();
        const ids = past.map(({ _id }) => _id);
        if (ids.length === 0) break;
        await remove(ids);
      }
      const before = new Date(trustedTime(clock) - ORPHANS_KEPT_MS);
      for (const each of orphanRemovals) await each.removeBefore(before);
    },
  };
}
