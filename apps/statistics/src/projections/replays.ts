import { every, look } from '@tidings/coordination';
import { Fault } from '@tidings/kernel';
import { Lease } from '@tidings/mongo';
import type { ReplayView, Statistics } from '@tidings/rpc';
import type { ServiceDeps } from '@tidings/runtime';
import type { ReplayRecord } from '../storage/projections.schema.ts';
import { createGeneration, dropUnusedGenerations } from './generations.ts';
import { isRunning } from './projection-states.ts';
import { forgetAllGroups, forgetGroups, isProjection, replay, type ReplayDeps } from './replay.ts';

const LEASE_MS = 10_000;
const RENEW_EVERY_MS = 3_000;
/** Queries on the former generation, and writes to a canceled one, end within this time. */
const OLD_GENERATION_KEPT_MS = 60_000;

export interface Replays {
  readonly rpc: Pick<Statistics, 'startReplay' | 'cancelReplay' | 'lastReplay'>;
  open(): Promise<string[]>;
  stop(): Promise<void>;
}

export function openReplays(deps: ReplayDeps & Pick<ServiceDeps, 'db' | 'exclusive'>): Replays {
  const { db, clock, log, states, broker, exclusive } = deps;
  const lease = new Lease(db, 'replay', { clock, lengthMs: LEASE_MS });
  let dropped: number | undefined;

  const run = async (record: ReplayRecord, signal: AbortSignal): Promise<void> => {
    if (!(await lease.take())) return checks.within(LEASE_MS);
    const leaseLost = new AbortController();
    const renewal = every(
      RENEW_EVERY_MS,
      async () => {
        if (!(await lease.take()) || !isRunning((await states.read()).replay)) leaseLost.abort();
      },
      { name: 'lease of the replay', log },
    );
    try {
      await replay(record, deps, AbortSignal.any([signal, leaseLost.signal]));
    } catch (error) {
      const { replay: last } = await states.read();
      if (last?.id !== record.id || !isRunning(last)) {
        await forgetGroups(record, broker);
        log.info({ projection: record.projection, generation: record.generation }, 'replay canceled');
      } else if (!signal.aborted && !leaseLost.signal.aborted) throw error;
    } finally {
      await renewal.stop();
      await lease.release();
    }
  };
  const check = async (signal: AbortSignal): Promise<void> => {
    const state = await states.read();
    const { replay: record } = state;
    if (!record) return;
    if (!record.finishedAt) return run(record, signal);
    if (record.id !== dropped && clock.now() - record.finishedAt.getTime() > OLD_GENERATION_KEPT_MS) {
      await forgetAllGroups(broker);
      await dropUnusedGenerations(db, state);
      dropped = record.id;
    }
  };
  const checks = look(check, { name: 'replay', log, immediately: true, exclusive });
  return {
    rpc: {
      async startReplay({ projection }) {
        if (!isProjection(projection)) throw Fault.argument(`there is no projection ${projection}`);
        const { newest, replay: previous } = await states.read();
        if (isRunning(previous)) throw Fault.conflict('A replay is running');
        // Before the live consumers may write to it.
        await createGeneration(db, projection, newest + 1);
        const record = await states.begin(projection, newest, new Date(clock.now()));
        void checks.now();
        return viewOf(record);
      },
      async cancelReplay({ id }) {
        const canceled = await states.cancel(id, new Date(clock.now()));
        const { newest, replay: record } = await states.read();
        if (record?.id === id && (canceled || record.canceled)) return viewOf(record);
        if (id < 1 || id > newest) throw Fault.notFound('There is no replay of this number');
        throw Fault.conflict('The replay is not running any more');
      },
      async lastReplay() {
        const { replay: record } = await states.read();
        return { replay: record && viewOf(record) };
      },
    },
    async open() {
      const { replay: record } = await states.read();
      return record && isRunning(record) ? [`statistics: replay of ${record.projection}`] : [];
    },
    stop: () => checks.stop(),
  };
}

function viewOf({
  id,
  projection,
  startedAt,
  finishedAt,
  partitions,
  skipped,
  readingMs,
  kept,
  canceled = false,
}: ReplayRecord): ReplayView {
  const topics = [...Map.groupBy(partitions, ({ topic }) => topic)].map(([topic, own]) => ({
    topic,
    handled: BigInt(own.reduce((sum, { from, next, to }) => sum + Math.min(next, to) - from, 0)),
    total: BigInt(own.reduce((sum, { from, to }) => sum + to - from, 0)),
  }));
  const handled = Number(topics.reduce((sum, topic) => sum + topic.handled, 0n));
  return {
    id,
    projection,
    started: startedAt,
    finished: finishedAt,
    skipped: BigInt(skipped),
    canceled,
    topics: topics.sort((a, b) => (a.topic < b.topic ? -1 : 1)),
    rate: readingMs > 0 ? (handled * 1000) / readingMs : 0,
    kept: kept && { ...kept },
  };
}
