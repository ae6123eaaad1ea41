import { every, sharedWrites } from '@tidings/coordination';
import { commitRetention, logMetrics, openLogs, openRelay, type Problem, truncateLogs } from '@tidings/event-store';
import { facts, type PlanEvent, topicNames } from '@tidings/events';
import { numberIds, trustedTime } from '@tidings/kernel';
import { createCollections, isTransient, leaseReplica, replicaMetrics, transientAsFault } from '@tidings/mongo';
import type { Audiences, Devices, Presets, Segments, Served } from '@tidings/rpc';
import { type Closing, consumerGroups, openWith, operationsOf, type ServiceDeps } from '@tidings/runtime';
import { followDeletions } from '@tidings/service/deletions';
import { type Broker, consume, incidentsTo } from '@tidings/streaming';
import { acceptMessages } from './accept/accept-messages.ts';
import { activityKeyBy } from './accept/activities.ts';
import { createMessages } from './accept/create-messages.ts';
import { openTransactions } from './accept/transactions.ts';
import { collections } from './collections.ts';
import { Completion } from './messages/completion.ts';
import { messagesLog } from './messages/message-log.ts';
import { messageMetrics } from './messages/message-metrics.ts';
import { messagePurge } from './messages/message-purge.ts';
import { recordsOf } from './messages/message-records.ts';
import { messagesRpc } from './messages/messages-rpc.ts';
import { OffsetSteps } from './messages/offset-steps.ts';
import { removeExpired } from './messages/message-expiry.ts';
import { Schedule } from './messages/schedule.ts';
import { sendVisits } from './messages/send-visits.ts';

const [GROUP, VISITS_GROUP] = consumerGroups.scheduler;
const PLANS_AT_ONCE = 200;
const EXPIRY_INTERVAL_MS = 60_000;
const CLOSING_INTERVAL_MS = 2_500;
const STEPS_INTERVAL_MS = 5_000;
const CACHE_BYTES = 8 << 20;

export interface RegistryClients {
  readonly audiences: Audiences;
  readonly presets: Pick<Presets, 'resolve' | 'nameCampaign'>;
  readonly devices: Pick<Devices, 'apply'>;
  readonly segments: Pick<Segments, 'hasRecipients'>;
}

export interface SchedulerDeps extends ServiceDeps {
  readonly broker: Broker;
  readonly registry: RegistryClients;
  readonly publicUrl: string;
}

export interface SchedulerService extends Served<'scheduler'> {
  close(): Promise<void>;
}

export const openScheduler = (deps: SchedulerDeps): Promise<SchedulerService> =>
  openWith(deps.log, (closing) => compose(deps, closing));

async function compose(
  { db, clock, log, metrics, keys, broker, registry, publicUrl, exclusive }: SchedulerDeps,
  closing: Closing,
): Promise<SchedulerService> {
  await createCollections(db, collections);
  const onProblem = ({ error, ...problem }: Problem): void =>
    log.error({ ...problem, err: error }, 'event log problem');

  const relay = closing.add(
    'relay',
    await openRelay({
      db,
      category: messagesLog.category,
      broker,
      exclusive,
      decode: (bytes) => messagesLog.decode(bytes),
      isKnown: (event) => messagesLog.isKnown(event),
      publish: ({ log: name, position, events }) =>
        recordsOf(
          events.map((event, index) => ({ ...event, stamp: { log: name, position: BigInt(position), index } })),
        ),
      onProblem: (error) => log.warn({ category: messagesLog.category, err: error }, 'relay failed'),
    }),
    (opened) => opened.close(),
  );
  const replica = closing.add('number for ids', await leaseReplica(db, { log }), (leased) => leased.close());
  replicaMetrics(metrics, 'scheduler', replica);
  const nextId = numberIds(() => clock.now(), replica);
  const writer = closing.add(
    'messages',
    openLogs(db, messagesLog, {
      clock,
      exclusive,
      onProblem,
      cyclesInFlight: 1,
      cacheBytes: CACHE_BYTES,
      committed(commit) {
        completion.accepted(commit.events);
        schedule.accepted(commit.events);
        relay.enqueue(commit);
      },
    }),
    (opened) => opened.close(),
  );
  const completion = new Completion({ db, clock, writer });
  const schedule = closing.add('release of messages', new Schedule({ db, clock, log, writer, nextId }), (opened) =>
    opened.stop(),
  );
  await writer.applyCommits();
  logMetrics(metrics, { category: messagesLog.category, writer, relay });
  const truncation = truncateLogs(db, messagesLog, { clock, log, retentionMs: commitRetention.asFigures });
  closing.add('truncation of messages', truncation, (periodic) => periodic.stop());
  messageMetrics(metrics, db, clock);

  // Plans of single messages arrive one by one, spread over all partitions.
  const count = sharedWrites((events: readonly PlanEvent[]) => completion.count(events), {
    maxItems: PLANS_AT_ONCE,
    mayBeOneItem: (error) => !isTransient(error),
  });
  const report = incidentsTo(log, metrics);
  const subscription = await consume(broker, {
    group: GROUP,
    topics: { [topicNames.plans]: facts.plans },
    report,
    handler: (records) => transientAsFault(() => count(records.map(({ value }) => value))),
  });
  closing.add('plans', subscription, (opened) => opened.stop());
  const send = sendVisits({ writer, nextId, publicUrl });
  const visits = await consume(broker, {
    group: VISITS_GROUP,
    topics: { [topicNames.visits]: facts.visits },
    report,
    handler: (records) => transientAsFault(() => send(records.map(({ value }) => value))),
  });
  closing.add('visits', visits, (opened) => opened.stop());
  const deletions = await followDeletions(
    { db, clock, log, metrics, broker, exclusive },
    { service: GROUP, purge: messagePurge({ db, clock, writer, completion }) },
  );
  closing.add('deletions', deletions, (opened) => opened.stop());
  const steps = new OffsetSteps({ db, clock, writer, segments: registry.segments, nextId });
  for (const [name, intervalMs, work] of [
    ['release of steps', STEPS_INTERVAL_MS, (signal: AbortSignal) => steps.releaseDue(signal)],
    ['closing of messages', CLOSING_INTERVAL_MS, () => completion.closeEnded()],
    ['expiry of messages', EXPIRY_INTERVAL_MS, () => removeExpired(db, trustedTime(clock))],
    ['removal of progress', EXPIRY_INTERVAL_MS, (signal: AbortSignal) => completion.removeOrphans(signal)],
  ] as const) {
    closing.add(name, every(intervalMs, work, { name, log, clock }), (periodic) => periodic.stop());
  }

  const published = (isPublished: boolean): string[] => (isPublished ? [] : ['scheduler: publishing']);
  const own = async (): Promise<string[]> => (writer.idle() ? published(await relay.idle()) : ['scheduler: writing']);
  const shared = async (): Promise<string[]> => {
    const lags = await Promise.all([VISITS_GROUP, GROUP].map((group) => broker.lag(group)));
    const behind = lags.flat().filter(({ committed, end }) => committed < end);
    return [
      ...behind.map(({ topic, partition }) => `scheduler: ${topic} ${partition}`),
      ...(await deletions.open()),
      ...((await schedule.hasDue()) ? ['scheduler: messages to release'] : []),
      ...((await steps.hasDue()) ? ['scheduler: steps to release'] : []),
      ...((await completion.hasEnded()) ? ['scheduler: messages to close'] : []),
      ...published(await relay.caughtUp()),
    ];
  };
  const { transaction: key } = keys.identity;
  const activityKey = activityKeyBy(key);
  const acceptance = acceptMessages({
    ...registry,
    clock,
    transactions: openTransactions(db, clock, key),
    messages: createMessages({ db, clock, writer, nextId, activityKey, publicUrl }),
  });
  return {
    messages: { ...messagesRpc({ db, clock, writer, nextId }), ...acceptance },
    operations: operationsOf({ clock, metrics, db }, { own, shared, deletions: () => deletions.due() }),
    close: () => closing.close(),
  };
}
