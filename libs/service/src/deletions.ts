import { every, sideBySide } from '@tidings/coordination';
import { topicNames } from '@tidings/events';
import { modelOf, transientAsFault, dueFilter } from '@tidings/mongo';
import { ApplicationView } from '@tidings/rpc';
import type { OpenDeletion, ServiceDeps } from '@tidings/runtime';
import { type Broker, consume, incidentsTo } from '@tidings/streaming';
import type { Db } from 'mongodb';
import { type DeletedDocument, deletedApplicationsModel } from './storage/deleted-applications.schema.ts';

export { deletedApplicationsModel };

const DAY_MS = 86_400_000;
/** A purge that another process has left due; its own message of a deletion begins one at once. */
const EVERY_MS = 5_000;
/** Applications read at a time. */
const AT_ONCE = 100;
/** Delay of the second purge: a process that did not know of the deletion is done by then (ADR 19). Each further delay doubles. */
export const SECOND_LOOK_MS = 10_000;
/** Maximum age of delivered facts: topics of facts hold them for 7 days. */
const LAST_LOOK_MS = 8 * DAY_MS;

/** A deleted application, and the number of its purges in this service. */
export interface DeletedApplication {
  readonly account: string;
  readonly application: string;
  /** 0 for the first purge; the second begins at least 10 s after the deletion became known. */
  readonly look: number;
}

export interface DeletionsOptions {
  /** Name of the service: its consumer group is `<service>.applications`. */
  readonly service: string;
  /**
   * Removes the service's data of the application in bounded steps, each ended by a `yield`: other applications have theirs in between. It may be
   * repeated, by several processes concurrently; it ends early on the signal, and is started again later.
   */
  readonly purge: (deleted: DeletedApplication, signal: AbortSignal) => AsyncIterable<unknown>;
}

/** A service's record of deleted applications, for 15 days. */
export interface Deletions {
  /** The deleted ones among the applications. */
  among(applications: readonly string[]): Promise<ReadonlySet<string>>;
  /** One line per deletion that is not known yet. */
  open(): Promise<string[]>;
  /** The purges that are due and not done. */
  due(): Promise<OpenDeletion[]>;
  stop(): Promise<void>;
}

/** Time of the next purge after one at `now`; undefined = never. */
export function nextLook(deletedAt: number, now: number): number | undefined {
  let wait = SECOND_LOOK_MS;
  while (deletedAt + wait <= now) wait *= 2;
  return now - deletedAt < LAST_LOOK_MS ? deletedAt + wait : undefined;
}

/** See {@link Deletions.among}; for a process that only queries. */
export async function deletedAmong(db: Db, applications: readonly string[]): Promise<ReadonlySet<string>> {
  if (applications.length === 0) return new Set();
  const deleted = modelOf(db, deletedApplicationsModel);
  const found = await deleted.find({ _id: { $in: [...applications] } }, { _id: 1 }).lean();
  return new Set(found.map(({ _id }) => _id));
}

/**
 * Has a service purge deleted applications (R-B2, ADR 25): it learns of them on `tidings.applications`, records them in its own database, and purges
 * at once, after 10 s, and again at growing intervals until no fact about the application can arrive any more.
 */
export async function followDeletions(
  { db, clock, log, metrics, broker }: Omit<ServiceDeps, 'keys'> & { readonly broker: Broker },
  { service, purge }: DeletionsOptions,
): Promise<Deletions> {
  const group = `${service}.applications`;
  const deleted = modelOf(db, deletedApplicationsModel);

  const purgeOne = async function* (
    { _id, account, deletedAt, looks }: DeletedDocument,
    signal: AbortSignal,
  ): AsyncGenerator<unknown> {
    yield* purge({ account, application: _id, look: looks }, signal);
    if (signal.aborted) return;
    const next = nextLook(deletedAt.getTime(), clock.now());
    // Another process may have been faster.
    if (next === undefined) await deleted.deleteOne({ _id, looks });
    else await deleted.updateOne({ _id, looks }, { $set: { looks: looks + 1, dueAt: new Date(next) } });
  };
  const read = () =>
    deleted
      .find(dueFilter('dueAt', clock.now(), 2 * LAST_LOOK_MS))
      .sort({ dueAt: 1 })
      .limit(AT_ONCE)
      .lean();
  const run = (signal: AbortSignal): Promise<void> =>
    sideBySide({ read, keyOf: ({ _id }) => _id, work: purgeOne }, signal);
  const purging = every(EVERY_MS, run, { name: `purge of deleted applications: ${service}`, log, clock });

  const subscription = await consume(broker, {
    group,
    topics: { [topicNames.applications]: ApplicationView },
    report: incidentsTo(log, metrics),
    handler: (records) =>
      transientAsFault(async () => {
        const now = new Date(clock.now());
        const gone = records.flatMap(({ value }) => (value.deleted ? [value] : []));
        if (gone.length === 0) return;
        const writes = gone.map(({ code, account }) => ({
          updateOne: {
            filter: { _id: code },
            update: { $setOnInsert: { account, deletedAt: now, looks: 0, dueAt: now } },
            upsert: true,
          },
        }));
        await deleted.bulkWrite(writes, { ordered: false });
        void purging.now();
      }),
  });
  return {
    among: (applications) => deletedAmong(db, applications),
    async open() {
      const behind = (await broker.lag(group)).filter(({ committed, end }) => committed < end);
      return behind.map(({ topic, partition }) => `${service}: ${topic} ${partition}`);
    },
    async due() {
      const due = dueFilter('dueAt', clock.now(), 2 * LAST_LOOK_MS);
      const found = await deleted.find(due, { _id: 1 }).limit(AT_ONCE).lean();
      return found.map(({ _id: application }) => ({ service, application, devices: undefined }));
    },
    async stop() {
      await subscription.stop();
      await purging.stop();
    },
  };
}
