import { look, sideBySide } from '@tidings/coordination';
import { topicNames } from '@tidings/events';
import { modelOf, transientAsFault, dueFilter } from '@tidings/mongo';
import { ApplicationView } from '@tidings/rpc';
import type { OpenDeletion, ServiceDeps } from '@tidings/runtime';
import { type Broker, consume, incidentsTo } from '@tidings/streaming';
import type { Db } from 'mongodb';
import { type DeletedDocument, deletedApplicationsModel } from './storage/deleted-applications.schema.ts';

export { deletedApplicationsModel };

const DAY_MS = 86_400_000;
const AT_ONCE = 100;
/** By then a process that did not know of the deletion is done (ADR 19). Each further delay doubles. */
export const SECOND_ROUND_MS = 10_000;
/** Topics of facts hold them for 7 days. */
const LAST_ROUND_MS = 8 * DAY_MS;

export interface DeletedApplication {
  readonly account: string;
  readonly application: string;
  /** 0 for the first purge; the second begins 10 s after the deletion became known. */
  readonly round: number;
}

export interface DeletionsOptions {
  readonly service: string;
  /** Idempotent and concurrent; each `yield` ends a bounded step. */
  readonly purge: (deleted: DeletedApplication, signal: AbortSignal) => AsyncIterable<unknown>;
}

/** Kept for 15 days. */
export interface Deletions {
  among(applications: readonly string[]): Promise<ReadonlySet<string>>;
  open(): Promise<string[]>;
  due(): Promise<OpenDeletion[]>;
  stop(): Promise<void>;
}

export function nextRound(deletedAt: number, now: number): number | undefined {
  let wait = SECOND_ROUND_MS;
  while (deletedAt + wait <= now) wait *= 2;
  return now - deletedAt < LAST_ROUND_MS ? deletedAt + wait : undefined;
}

export async function deletedAmong(db: Db, applications: readonly string[]): Promise<ReadonlySet<string>> {
  if (applications.length === 0) return new Set();
  const deleted = modelOf(db, deletedApplicationsModel);
  const found = await deleted.find({ _id: { $in: [...applications] } }, { _id: 1 }).lean();
  return new Set(found.map(({ _id }) => _id));
}

/** Purges at once and at growing intervals, until no fact about the application can arrive (R-B2, ADR 25). */
export async function followDeletions(
  { db, clock, log, metrics, broker, exclusive }: Omit<ServiceDeps, 'keys'> & { readonly broker: Broker },
  { service, purge }: DeletionsOptions,
): Promise<Deletions> {
  const group = `${service}.applications`;
  const deleted = modelOf(db, deletedApplicationsModel);

  const purgeOne = async function* (
    { _id, account, deletedAt, looks }: DeletedDocument,
    signal: AbortSignal,
  ): AsyncGenerator<unknown> {
    yield* purge({ account, application: _id, round: looks }, signal);
    if (signal.aborted) return;
    const next = nextRound(deletedAt.getTime(), clock.now());
    if (next === undefined) await deleted.deleteOne({ _id, looks });
    else {
      await deleted.updateOne({ _id, looks }, { $set: { looks: looks + 1, dueAt: new Date(next) } });
      purging.within(next - clock.now());
    }
  };
  const read = () =>
    deleted
      .find(dueFilter('dueAt', clock.now(), 2 * LAST_ROUND_MS))
      .sort({ dueAt: 1 })
      .limit(AT_ONCE)
      .lean();
  const run = (signal: AbortSignal): Promise<void> =>
    sideBySide({ read, keyOf: ({ _id }) => _id, work: purgeOne }, signal);
  const purging = look(run, { name: `purge of deleted applications: ${service}`, log, clock, exclusive });

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
      const due = dueFilter('dueAt', clock.now(), 2 * LAST_ROUND_MS);
      const found = await deleted.find(due, { _id: 1 }).limit(AT_ONCE).lean();
      return found.map(({ _id: application }) => ({ service, application, devices: undefined }));
    },
    async stop() {
      await subscription.stop();
      await purging.stop();
    },
  };
}
