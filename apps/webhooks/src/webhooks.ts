import { every } from '@tidings/coordination';
import { type CountingLogWriter, logMetrics, openCommits, openLogs, type Problem } from '@tidings/event-store';
import { trustedTime } from '@tidings/kernel';
import { createCollections, transientAsFault } from '@tidings/mongo';
import type { Applications, Devices, SentValues, Served, Tokens } from '@tidings/rpc';
import {
  AddressGuard,
  type Closing,
  consumerGroups,
  openWith,
  operationsOf,
  type OutboundProxy,
  RESEAL_EVERY_MS,
  resealingBy,
  type ServiceDeps,
} from '@tidings/runtime';
import { type Broker, consume, incidentsTo } from '@tidings/streaming';
import { openDialIn } from './dial-in/dial-in.ts';
import { eventMaker } from './events/make.ts';
import { eventHistoryRpc } from './event-history-rpc.ts';
import { openPendingReports } from './facts/pending-reports.ts';
import { Intake, topics } from './facts/fact-intake.ts';
import { openMessages } from './facts/message-store.ts';
import { type WebhookCommand, webhooksLog, webhooksLogOf } from './webhook-log.ts';
import { streamMetrics } from './stream-metrics.ts';
import { openDeferred } from './streams/deferred/mongo-deferred.ts';
import { openProgress } from './streams/stream-progress.ts';
import { Streams } from './streams/streams.ts';
import { COMMITS_KEPT_MS } from './streams/unacked.ts';
import { subscriptionsRpc } from './subscriptions-rpc.ts';
import { openSecrets } from './subscriptions/subscription-secrets.ts';
import { keepValues } from './subscriptions/kept-values.ts';
import { openSubscriptions } from './subscriptions/subscription-store.ts';
import type { Subscription } from './subscriptions/subscription.ts';
import { collections } from './collections.ts';
import { KEPT_MS } from './facts/delivery-document.ts';

const [GROUP] = consumerGroups.webhooks;
const LINGER_MS = 20;
const RELEASE_EVERY_MS = 5_000;
const REMOVAL_EVERY_MS = 30_000;
const EXPIRY_EVERY_MS = 60_000;
/** Dispatchers keep values for 72 hours. */
const KEEP_EVERY_MS = 60_000;

export interface WebhooksDeps extends ServiceDeps {
  readonly broker: Broker;
  readonly devices: Pick<Devices, 'describe'>;
  readonly sentValues: SentValues;
  readonly allowPrivate?: readonly string[];
  readonly proxy?: OutboundProxy | undefined;
  readonly extraCa?: string | undefined;
  readonly tokens: Pick<Tokens, 'resolveToken'>;
  readonly applications: Pick<Applications, 'findApplication'>;
  readonly events: { readonly host: string; readonly port: number };
}

export interface WebhooksService extends Served<'webhooks'> {
  readonly eventsPort: number;
  close(): Promise<void>;
}

export const openWebhooks = (deps: WebhooksDeps): Promise<WebhooksService> =>
  openWith(deps.log, (closing) => compose(deps, closing));

type Writer = CountingLogWriter<WebhookCommand, Subscription | undefined>;

async function compose(deps: WebhooksDeps, closing: Closing): Promise<WebhooksService> {
  const { db, clock, log, broker, metrics, keys, devices, sentValues, tokens, applications, events } = deps;
  const { allowPrivate = [], extraCa, proxy, exclusive } = deps;
  const guard = new AddressGuard(allowPrivate);
  await createCollections(db, collections);
  const store = openSubscriptions(db);
  const messages = openMessages(db);
  const commits = openCommits(db, webhooksLog, {
    onBlocked: (error) => log.error({ err: error }, 'streams blocked by an event of a newer version'),
  });
  const progress = openProgress(db, commits);
  const deferred = openDeferred(db);
  const secrets = openSecrets(db, { clock, log, master: keys.master });
  const wakeHandle: { wake?: (log: string) => void } = {};
  const onProblem = ({ error, ...problem }: Problem): void =>
    log.error({ ...problem, err: error }, 'event log problem');
  const committed = ({ log: name }: { readonly log: string }): void => wakeHandle.wake?.(name);
  const writer: Writer = openLogs(db, webhooksLog, { clock, onProblem, committed, exclusive });
  closing.add('log', writer, (opened) => opened.close());
  logMetrics(metrics, { category: webhooksLog.category, writer });
  await writer.applyCommits();

  const pendingReports = openPendingReports(db, { clock, writer, messages });
  const intake = new Intake({
    subscriptions: store,
    messages,
    pending: pendingReports,
    deferred,
    sentValues,
    writer,
    clock,
  });
  const subscription = await consume(broker, {
    group: GROUP,
    topics,
    lingerMs: LINGER_MS,
    handler: (facts) => transientAsFault(() => intake.handle(facts)),
    report: incidentsTo(log, metrics),
  });
  closing.add('facts', subscription, (opened) => opened.stop());

  const maker = eventMaker({ devices, sentValues, messages, reportKey: keys.identity.report });
  const disable = (subscribed: Subscription, reason: string): Promise<unknown> =>
    writer.submit(webhooksLogOf(subscribed.account), {
      kind: 'disable',
      reason,
      account: subscribed.account,
      id: subscribed.id,
      at: new Date(clock.now()),
    });
  const streaming = {
    disable,
    clock,
    log,
    commits,
    progress,
    deferred,
    maker,
    messages,
    subscriptions: store,
    metrics: streamMetrics(metrics),
  };
  const streams = new Streams({ ...streaming, db, exclusive, link: { guard, extraCa, proxy, broker, secrets } });
  closing.add('streams', streams, (opened) => opened.close());
  const dialIn = await openDialIn({ ...streaming, tokens, applications, events, lease: streams.lease });
  closing.add('dialled streams', dialIn, (opened) => opened.close());
  wakeHandle.wake = (name) => [streams, dialIn].forEach((each) => each.wake(name));

  const regularly = (name: string, everyMs: number, work: () => Promise<void>): void =>
    void closing.add(name, every(everyMs, work, { name, log, clock }), (periodic) => periodic.stop());
  regularly('release of reports', RELEASE_EVERY_MS, () => pendingReports.release());
  const renewal = async (): Promise<void> => keepValues(sentValues, await store.enabled());
  regularly('keeping of what is sent', KEEP_EVERY_MS, renewal);
  regularly('removal of messages', REMOVAL_EVERY_MS, () => messages.removeExpired(new Date(trustedTime(clock))));
  regularly('expiry', EXPIRY_EVERY_MS, async () => {
    const now = trustedTime(clock);
    await commits.removeBefore(new Date(now - COMMITS_KEPT_MS));
    await pendingReports.forget(new Date(now - KEPT_MS));
    await streams.forget();
    await secrets.removeExcept((await store.all()).map(({ id }) => id));
  });
  const resealing = resealingBy({ keys, service: 'webhooks', log, pass: () => secrets.reseal() });
  if (resealing) {
    const periodic = every(RESEAL_EVERY_MS, (signal) => resealing.run(signal), {
      name: 'resealing',
      log,
      immediately: true,
    });
    closing.add('resealing', periodic, (each) => each.stop());
  }

  const changed = async (): Promise<void> => void (await Promise.all([streams.changed(), dialIn.changed()]));
  const open = async (): Promise<string[]> => {
    const behind = (await broker.lag(GROUP)).filter(({ committed: passed, end }) => passed < end);
    const reports = await pendingReports.due();
    return [
      ...behind.map(({ topic, partition }) => `webhooks: ${topic} ${partition}`),
      ...(writer.idle() ? [] : ['webhooks: writing']),
      ...(reports > 0 ? ['webhooks: pending reports'] : []),
      ...(await Promise.all([streams.due(), dialIn.due()]))
        .flat()
        .map((id) => `webhooks: events for subscription ${id}`),
      ...((await resealing?.open()) ?? []),
    ];
  };
  return {
    subscriptions: subscriptionsRpc({
      store,
      writer,
      clock,
      guard,
      secrets,
      progress,
      deferred,
      sentValues,
      changed,
      hasKafka: exclusive === undefined,
    }),
    eventHistory: eventHistoryRpc({ commits, maker, log }),
    eventsPort: dialIn.port,
    operations: operationsOf({ clock, metrics, db }, open),
    close: () => closing.close(),
  };
}
