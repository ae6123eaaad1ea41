import { setTimeout as delay } from 'node:timers/promises';
import { topics as allTopics } from '@tidings/events';
import { transientAsFault } from '@tidings/mongo';
import type { ServiceDeps } from '@tidings/runtime';
import type { Broker } from '@tidings/streaming';
import { dayOf, LOOKBACK_DAYS } from '../conversions/activity.ts';
import {
  type Fact,
  type FactBatch,
  factBatchOf,
  messageOf,
  messagesOf,
  statisticsFactsOf,
  timesTopics,
  topics,
} from '../fact-batch.ts';
import { isCounted, purgedApplications } from '../message-facts.ts';
import type { KeptFigures, ProjectionName, ReplayRecord } from '../storage/projections.schema.ts';
import type { ProjectionStates } from './projection-states.ts';
import { PROPAGATION_MS, type ReadModels } from './read-models.ts';
import type { StatisticsFacts } from './statistics-model.ts';
import { readToEnds } from './reading.ts';

const DAY_MS = 86_400_000;
const CACHED_EXPIRIES = 100_000;

const factTopics = {
  statistics: pick('plans', 'outcomes', 'reports'),
  conversions: pick('reports', 'conversions'),
} as const;

function pick(...names: readonly ('plans' | 'outcomes' | 'reports' | 'conversions')[]): Partial<typeof topics> {
  return Object.fromEntries(
    Object.entries(topics).filter(([topic]) => names.some((name) => topic === `tidings.${name}`)),
  );
}

const retentions = new Map(allTopics([]).map(({ name, retentionMs }) => [name, retentionMs]));

export interface ReplayDeps extends Pick<ServiceDeps, 'clock' | 'log'> {
  readonly broker: Broker;
  readonly states: ProjectionStates;
  readonly models: ReadModels;
}

const GROUPS = 'statistics.replay-';
const groupOf = ({ generation }: ReplayRecord, part: 'messages' | 'facts'): string => `${GROUPS}${generation}.${part}`;

export async function forgetGroups(record: ReplayRecord, broker: Pick<Broker, 'forget'>): Promise<void> {
  for (const part of ['messages', 'facts'] as const) await broker.forget(groupOf(record, part));
}

export async function forgetAllGroups(broker: Pick<Broker, 'forget' | 'groups'>): Promise<void> {
  for (const name of await broker.groups()) if (name.startsWith(GROUPS)) await broker.forget(name);
}

/** Live consumers write to both generations; the replay reads what was published before. @throws when it is aborted or canceled */
export async function replay(record: ReplayRecord, deps: ReplayDeps, signal: AbortSignal): Promise<void> {
  const propagated = delay(PROPAGATION_MS);
  const { broker, states, log, clock } = deps;
  const target = targetOf(record, deps);
  const read = async (part: 'messages' | 'facts'): Promise<void> => {
    const began = performance.now() - record.readingMs;
    const progressed = async (): Promise<void> => {
      record.readingMs = performance.now() - began;
      if (!(await states.progressed(record))) throw new Error('The replay is canceled');
    };
    await readToEnds(broker, {
      group: groupOf(record, part),
      partitions: record.partitions,
      progressed,
      signal,
      topics: part === 'messages' ? timesTopics : factTopics[record.projection],
      skipped: (count) => (record.skipped += count),
      handler: (records) => target.handler(records as readonly Fact[]),
    });
    await progressed();
  };
  // Facts of expired messages then need not be applied.
  await read('messages');
  await target.prepare((await states.read()).live[record.projection]);
  await propagated;
  await read('facts');
  // An application may have been deleted meanwhile, and its facts applied after that.
  await read('messages');
  const state = await states.read();
  const kept = await target.complete(state.live[record.projection], state.replay?.purged ?? [], signal);
  if (kept) record.kept = kept;
  if (await states.finish(record, new Date(clock.now())))
    log.info({ projection: record.projection, generation: record.generation, kept }, 'projection replayed');
  await forgetGroups(record, broker);
}

interface Target {
  readonly handler: (records: readonly Fact[]) => () => Promise<void>;
  prepare(live: number): Promise<void>;
  complete(live: number, purged: readonly string[], signal: AbortSignal): Promise<KeptFigures | undefined>;
}

const targetOf = (record: ReplayRecord, deps: ReplayDeps): Target =>
  ({ statistics: statisticsTarget, conversions: conversionsTarget })[record.projection](record, deps);

function statisticsTarget(record: ReplayRecord, { models, states, clock }: ReplayDeps): Target {
  const { stages, messageFacts, ...model } = models.statistics(record.generation);
  const expiries = new Map<string, Date | undefined>();
  const areCached = (codes: ReadonlySet<string>): boolean => [...codes].every((code) => expiries.has(code));
  const loadExpiries = async (codes: ReadonlySet<string>): Promise<void> => {
    if (areCached(codes)) return;
    const found = await messageFacts.expiries([...codes]);
    if (expiries.size > CACHED_EXPIRIES) expiries.clear();
    for (const code of codes) expiries.set(code, found.get(code));
  };
  const now = (): Date => new Date(clock.now());
  /** An unknown message is expired and hidden, or newer than what was read. */
  const mayBeNew = ({ timestamp }: Fact): boolean => timestamp > record.startedAt.getTime() - DAY_MS;
  const countedIn = (records: readonly Fact[], codes: ReadonlySet<string>): StatisticsFacts => {
    const at = now();
    const isFactCounted = (fact: Fact): boolean => isCounted(expiries.get(messageOf(fact) ?? ''), at, mayBeNew(fact));
    const all = [...codes].every((code) => isCounted(expiries.get(code), at, false));
    return statisticsFactsOf(all ? records : records.filter(isFactCounted));
  };
  const apply = async (facts: StatisticsFacts, createdAt: Date): Promise<void> => {
    await states.purged(record, purgedApplications(facts.events));
    await model.apply(facts, now(), createdAt);
  };
  // A closure here would hold records, which every garbage collection copies.
  const write = (facts: StatisticsFacts, at: Date) => () => transientAsFault(() => apply(facts, at));
  const loadAndWrite = (records: readonly Fact[], codes: ReadonlySet<string>, at: Date) => () =>
    transientAsFault(async () => {
      // Another batch may clear what this one has learnt.
      while (!areCached(codes)) await loadExpiries(codes);
      await apply(countedIn(records, codes), at);
    });
  return {
    handler(records) {
      const at = new Date(records[0]?.timestamp ?? 0);
      const codes = messagesOf(records);
      return areCached(codes) ? write(countedIn(records, codes), at) : loadAndWrite(records, codes, at);
    },
    prepare: (live) => messageFacts.adopt(live),
    async complete(live, purged, signal) {
      const before = beginningOf(record, clock.now());
      const liveModel = models.statistics(live);
      let messages = 0;
      for await (const code of before ? liveModel.messageFacts.releasedBefore(before) : []) {
        signal.throwIfAborted();
        const own = await liveModel.stages.changesOf(code);
        if (!own) continue;
        messages++;
        const { windowEndOf } = await messageFacts.reportTimes([code]);
        await stages.apply(own.changes, windowEndOf, own.createdAt);
      }
      await stages.forgetApplications(purged);
      await model.expire(now(), signal);
      return before && { before, messages, blocks: 0 };
    },
  };
}

function conversionsTarget(record: ReplayRecord, { models, states, clock }: ReplayDeps): Target {
  const activities = models.conversions(record.generation);
  const apply = async ({ activity, purged }: FactBatch): Promise<void> => {
    await states.purged(record, purged);
    await activities.apply(activity, new Date(clock.now()), ({ day }) => new Date(day * DAY_MS));
  };
  return {
    handler(records) {
      const facts = factBatchOf(records);
      return () => transientAsFault(() => apply(facts));
    },
    prepare: async () => undefined,
    async complete(live, purged, signal) {
      const before = beginningOf(record, clock.now());
      const lastDay = before && dayOf(before.getTime() / 1000) + LOOKBACK_DAYS;
      const now = new Date(clock.now());
      const blocks = lastDay === undefined ? 0 : await activities.adopt(live, lastDay, now, signal);
      await activities.forget(purged);
      await activities.expire(now);
      return before && { before, messages: 0, blocks };
    },
  };
}

/** Undefined means that the topics have always held all facts. */
export function beginningOf(
  { projection, partitions }: Pick<ReplayRecord, 'projection' | 'partitions'>,
  now: number,
): Date | undefined {
  const cut = partitions.filter(({ topic, from }) => topic in factTopics[projection] && from > 0);
  if (cut.length === 0) return undefined;
  return new Date(
    Math.max(...cut.map(({ topic, firstAt }) => firstAt?.getTime() ?? now - (retentions.get(topic) ?? 0))),
  );
}

export const isProjection = (name: string): name is ProjectionName => name in factTopics;
