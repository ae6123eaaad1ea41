import { every, sharedWrites } from '@tidings/coordination';
import { deviceOutcomeOf, funnelOf, hoursOfSecond, metricsOf, windowEndOf } from '@tidings/delivery';
import { Conversion, facts, type MessageEvent, topicNames } from '@tidings/events';
import type { Clock } from '@tidings/kernel';
import { createCollections, isTransient, transientAsFault } from '@tidings/mongo';
import type { DeadLetters, Operations, Statistics } from '@tidings/rpc';
import { operationsOf, type ServiceDeps } from '@tidings/runtime';
import { type Broker, consume, type Decoded, incidentsTo } from '@tidings/streaming';
import { collections } from './collections.ts';
import { type ActivityStore, openActivityStore } from './conversions/activity-store.ts';
import { actionChanges, type ActivityChange, openChanges } from './conversions/facts.ts';
import { totalsOf } from './conversions/totals.ts';
import { DEAD_LETTERS_GROUP, openDeadLetters } from './dead-letters/dead-letters.ts';
import { type MessageFactsStore, openMessageFacts, purgedApplications, purgedShares } from './message-facts.ts';
import { changesOfReports, gatherReports, type ReportsOfChunk } from './report-changes.ts';
import { type Change, changesOfOutcome, changesOfPlan } from './stages.ts';
import { openStageStore, type StageStore } from './stage-store.ts';

const GROUP = 'statistics';
/** Figures may be 5 s old (R-H1): facts that arrive within this time are applied to their documents together. */
const LINGER_MS = 200;
/** A write costs nearly the same for many reports as for a few, so it takes all waiting ones. */
const MAX_RECORDS = 20_000;
/** Maximum changes of several partitions that are applied together. */
const CHANGES_TOGETHER = 200;
const EXPIRY_INTERVAL_MS = 5_000;
const EXPIRED_AT_ONCE = 100;

const topics = {
  [topicNames.messages]: facts.messages,
  [topicNames.plans]: facts.plans,
  [topicNames.outcomes]: facts.outcomes,
  [topicNames.reports]: facts.reports,
  [topicNames.conversions]: Conversion,
} as const;

export interface StatisticsService {
  readonly statistics: Statistics;
  readonly deadLetters: DeadLetters;
  readonly operations: Operations;
  close(): Promise<void>;
}

/**
 * Read models of delivery: sets of devices, projected from facts, from which every figure is counted on read (sending 5). All of it can be dropped
 * and rebuilt from the topics.
 */
export async function openStatistics({
  db,
  clock,
  log,
  metrics,
  broker,
}: ServiceDeps & { readonly broker: Broker }): Promise<StatisticsService> {
  await createCollections(db, collections);
  const deadLetters = await openDeadLetters({ db, clock, log, broker });
  const stages = openStageStore(db);
  const messageFacts = openMessageFacts(db);
  const activities = openActivityStore(db);
  // Plans and outcomes of single messages arrive a few at a time, spread over all partitions. They have no hours that a report window ends in.
  const applyOwn = sharedWrites(
    (changes: readonly Change[]) => stages.apply(changes, () => undefined, new Date(clock.now())),
    { maxItems: CHANGES_TOGETHER, mayBeOneItem: (error) => !isTransient(error) },
  );

  const subscription = await consume(broker, {
    group: GROUP,
    topics,
    maxRecords: MAX_RECORDS,
    lingerMs: LINGER_MS,
    handler(records) {
      // Before the first wait: records that outlive it are copied by every garbage collection.
      const [events, own, reported] = [eventsOf(records), changesOf(records), reportsOf(records)];
      const activity = [...openChanges(reported), ...actionsOf(records)];
      return transientAsFault(async () => {
        if (events.length > 0) await messageFacts.apply(events);
        await stages.forgetShares(purgedShares(events));
        await activities.forget(purgedApplications(events));
        const windowEndOf = await messageFacts.windowEnds(reported.map(({ of }) => of.message));
        await applyOwn(own);
        const changes = changesOfReports(reported, windowEndOf);
        if (changes.length > 0) await stages.apply(changes, windowEndOf, new Date(clock.now()));
        await activities.apply(activity, new Date(clock.now()));
      });
    },
    report: incidentsTo(log, metrics),
  });

  const expiry = every(
    EXPIRY_INTERVAL_MS,
    async (signal) => {
      const now = new Date(clock.now());
      for (let more = true; more && !signal.aborted;) {
        const [expired, late] = [
          await messageFacts.expired(now, EXPIRED_AT_ONCE),
          await messageFacts.late(now, EXPIRED_AT_ONCE),
        ];
        await stages.forget([...expired, ...late]);
        await messageFacts.removed(expired, now);
        await messageFacts.forget(late);
        more = expired.length + late.length > 0;
      }
      await stages.removeOrphans(now);
      await activities.expire(now);
    },
    { name: 'expiry of figures', log },
  );

  return {
    statistics: statisticsRpc({ stages, activities, messageFacts, clock }),
    deadLetters: deadLetters.deadLetters,
    operations: operationsOf(
      { clock, metrics },
      {
        own: async () => [],
        async shared() {
          const lags = await Promise.all([broker.lag(GROUP), broker.lag(DEAD_LETTERS_GROUP)]);
          const behind = lags.flat().filter(({ committed, end }) => committed < end);
          return behind.map(({ topic, partition }) => `statistics: ${topic} ${partition}`);
        },
      },
    ),
    async close() {
      await Promise.all([subscription.stop(), expiry.stop(), deadLetters.close()]);
    },
  };
}

/** The read models that queries are answered from. */
interface ReadModels {
  readonly stages: StageStore;
  readonly activities: ActivityStore;
  readonly messageFacts: MessageFactsStore;
  readonly clock: Clock;
}

const statisticsRpc = ({ stages, activities, messageFacts, clock }: ReadModels): Statistics => ({
  async metrics({ messages }) {
    const metrics = messages.map(async (message) => ({
      message,
      platforms: metricsOf(await stages.stagesOf(message)),
    }));
    return { messages: await Promise.all(metrics) };
  },
  async totals({ message, platforms }) {
    const [groups, credits] = await Promise.all([stages.groupsOf(message), activities.creditsOf(message)]);
    return totalsOf(groups, credits, platforms);
  },
  async outcomesOfDevice({ position, ...of }) {
    const [chunk, releasedAt] = await Promise.all([stages.chunkOf(of), messageFacts.releasedAt(of.message)]);
    const last = releasedAt && hoursOfSecond(windowEndOf(releasedAt) / 1000);
    return {
      outcomes: chunk.flatMap((each) => {
        const outcome = deviceOutcomeOf(each, position, last);
        return outcome ? [{ ...outcome, excluded: outcome.excluded ?? '', bounce: outcome.bounce ?? '' }] : [];
      }),
    };
  },
  async funnel({ message, platforms, trackingOff }) {
    const [all, releasedAt] = await Promise.all([stages.stagesOf(message), messageFacts.releasedAt(message)]);
    return funnelOf(all, releasedAt, new Date(clock.now()), platforms, !trackingOff);
  },
});

type Fact = Decoded<typeof topics>;

/** Whether the records are of this topic; the records of a batch belong to one partition. */
const areOf = <T extends Fact['topic']>(
  topic: T,
  records: readonly Fact[],
): records is readonly Extract<Fact, { topic: T }>[] => records[0]?.topic === topic;

const eventsOf = (records: readonly Fact[]): MessageEvent[] =>
  areOf(topicNames.messages, records) ? records.map(({ value }) => value) : [];

const reportsOf = (records: readonly Fact[]): ReportsOfChunk[] =>
  areOf(topicNames.reports, records) ? gatherReports(records) : [];

/** The activity in events of devices; that in opens comes with their reports. */
const actionsOf = (records: readonly Fact[]): ActivityChange[] =>
  areOf(topicNames.conversions, records) ? actionChanges(records.map(({ value }) => value)) : [];

/** The changes of plans and outcomes. */
function changesOf(records: readonly Fact[]): Change[] {
  if (areOf(topicNames.plans, records)) return records.flatMap(({ value }) => changesOfPlan(value));
  if (areOf(topicNames.outcomes, records)) return records.flatMap(({ value }) => changesOfOutcome(value));
  return [];
}
