import { every, look } from '@tidings/coordination';
import { deviceOutcomeOf, funnelOf, hoursOfSecond, metricsOf, windowEndOf } from '@tidings/delivery';
import type { Clock } from '@tidings/kernel';
import { createCollections, transientAsFault } from '@tidings/mongo';
import type { Served, Statistics } from '@tidings/rpc';
import { consumerGroups, operationsOf, type ServiceDeps } from '@tidings/runtime';
import { type Broker, consume, incidentsTo } from '@tidings/streaming';
import { ownCollections } from './collections.ts';
import { totalsOf } from './conversions/totals.ts';
import { DEAD_LETTERS_GROUP, openDeadLetters } from './dead-letters/dead-letters.ts';
import { factBatchOf, topics } from './fact-batch.ts';
import { createGeneration } from './projections/generations.ts';
import { projectionStates } from './projections/projection-states.ts';
import { openReadModels, type ReadModels, type View } from './projections/read-models.ts';
import { openReplays, type Replays } from './projections/replays.ts';
import { openPurges, withoutDeleted } from './purges.ts';
import { projectionNames } from './storage/projections.schema.ts';

const [GROUP] = consumerGroups.statistics;
/** Figures may be 5 s old (R-H1). */
const LINGER_MS = 200;
/** A write costs nearly the same for many reports as for a few. */
const MAX_RECORDS = 20_000;
const EXPIRY_INTERVAL_MS = 30_000;

export interface StatisticsService extends Served<'statistics'> {
  close(): Promise<void>;
}

export async function openStatistics({
  db,
  clock,
  log,
  metrics,
  broker,
  exclusive,
}: ServiceDeps & { readonly broker: Broker }): Promise<StatisticsService> {
  await createCollections(db, ownCollections);
  const deadLetters = await openDeadLetters({ db, clock, log, broker });
  const states = projectionStates(db);
  const { live } = await states.read();
  await Promise.all(projectionNames.map((name) => createGeneration(db, name, live[name])));
  const models = openReadModels(db, states);
  const purges = openPurges(db);

  const subscription = await consume(broker, {
    group: GROUP,
    topics,
    maxRecords: MAX_RECORDS,
    lingerMs: LINGER_MS,
    handler(records) {
      // Facts are read before the first await: every garbage collection copies live records.
      const facts = factBatchOf(records);
      return transientAsFault(async () => {
        await purges.record(facts.purged, new Date(clock.now()));
        const { statistics: figures, activity } = withoutDeleted(facts, await purges.deleted());
        await models.write(async ({ statistics, conversions }) => {
          const now = new Date(clock.now());
          for (const model of statistics) await model.apply(figures, now);
          for (const activities of conversions) {
            await activities.forget(facts.purged);
            await activities.apply(activity, now);
          }
        });
      });
    },
    report: incidentsTo(log, metrics),
  });
  const expiry = every(
    EXPIRY_INTERVAL_MS,
    async (signal) => {
      const now = new Date(clock.now());
      const { statistics, conversions } = await models.current();
      await statistics[0].expire(now, signal);
      await conversions[0].expire(now);
    },
    { name: 'expiry of figures', log, clock },
  );
  const purging = look(
    () => purges.repeat(new Date(clock.now()), (applications) => models.write((view) => forget(view, applications))),
    { name: 'removal of figures of deleted applications', log, clock, exclusive },
  );
  const replays = openReplays({ db, clock, log, broker, states, models, exclusive });

  return {
    statistics: { ...statisticsRpc(models, clock), ...replays.rpc },
    deadLetters: deadLetters.deadLetters,
    operations: operationsOf(
      { clock, metrics },
      {
        own: async () => [],
        async shared() {
          const lags = await Promise.all([broker.lag(GROUP), broker.lag(DEAD_LETTERS_GROUP)]);
          const behind = lags.flat().filter(({ committed, end }) => committed < end);
          return [
            ...behind.map(({ topic, partition }) => `statistics: ${topic} ${partition}`),
            ...(await replays.open()),
          ];
        },
        deletions: () => purges.open(new Date(clock.now())),
      },
    ),
    async close() {
      await Promise.all([subscription.stop(), expiry.stop(), replays.stop(), purging.stop(), deadLetters.close()]);
    },
  };
}

async function forget({ statistics, conversions }: View, applications: readonly string[]): Promise<void> {
  for (const { stages } of statistics) await stages.forgetApplications(applications);
  for (const activities of conversions) await activities.forget(applications);
}

type Queries = Omit<Statistics, keyof Replays['rpc']>;

const statisticsRpc = (models: ReadModels, clock: Clock): Queries => ({
  async metrics({ messages }) {
    const [{ stages }] = (await models.current()).statistics;
    const metrics = messages.map(async (message) => ({
      message,
      platforms: metricsOf(await stages.stagesOf(message)),
    }));
    return { messages: await Promise.all(metrics) };
  },
  async totals({ message, platforms }) {
    const { statistics, conversions } = await models.current();
    const [groups, credits] = await Promise.all([
      statistics[0].stages.groupsOf(message),
      conversions[0].creditsOf(message),
    ]);
    return totalsOf(groups, credits, platforms);
  },
  async outcomesOfDevice({ position, ...of }) {
    const [{ stages, messageFacts }] = (await models.current()).statistics;
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
    const [{ stages, messageFacts }] = (await models.current()).statistics;
    const [all, releasedAt] = await Promise.all([stages.stagesOf(message), messageFacts.releasedAt(message)]);
    return funnelOf(all, releasedAt, new Date(clock.now()), platforms, !trackingOff);
  },
});
