import { channelNames } from '@tidings/channels';
import { every, look, type Periodic } from '@tidings/coordination';
import { dispatcherGroup, lanes, STOPS_GROUP } from '@tidings/delivery';
import { facts, topicNames } from '@tidings/events';
import { systemClock, trustedTime } from '@tidings/kernel';
import { collectionOf, createCollections, modelOf } from '@tidings/mongo';
import type { Providers, Served } from '@tidings/rpc';
import { Closing, openWith, operationsOf } from '@tidings/runtime';
import { consume, incidentsTo, type Subscription } from '@tidings/streaming';
import { deletedAmong, followDeletions } from '@tidings/service/deletions';
import { type ChannelDeps, type ChannelDispatcher, openChannel } from './channel-dispatcher.ts';
import { deviceAttempts } from './attempts/device-attempts.ts';
import { forgetAttempts } from './attempts/mongo-attempts.ts';
import { waitingLanes } from './attempts/waiting-lanes.ts';
import { forgetLeases, mongoLeases } from './attempts/worker-lease.ts';
import { collections } from './collections.ts';
import { dispatcherPurge } from './dispatcher-purge.ts';
import { forgetPaces } from './pace/mongo-paces.ts';
import { attemptsModel, workerLeasesModel } from './attempts/attempts.schema.ts';
import { pacesModel } from './pace/pace.schema.ts';
import { forgetStops, mongoStops, STOPS_KEPT_MS } from './stop/mongo-stops.ts';
import { StoppedMessages } from './stop/stopped-messages.ts';
import { stopsModel } from './stop/stops.schema.ts';
import { throttlesModel } from './throttle/throttle.schema.ts';
import { outcomePublishers } from './send/outcome-topics.ts';
import { sentValuesRpc } from './sent/sent-values-rpc.ts';
import { SentValuesStore } from './sent/sent-values.ts';
import { GIVE_UP_MS, ATTEMPTS_KEPT_MS } from './attempts/attempt-documents.ts';
import { throttlesIn } from './throttle/throttles.ts';
import { systemTimers } from './timers.ts';

export interface DispatcherDeps extends Omit<
  ChannelDeps,
  'channel' | 'values' | 'leases' | 'readThrottles' | 'waiting' | 'stops' | 'publishOutcome'
> {
  readonly channels: readonly string[];
}

export interface DispatcherService extends Served<'dispatcher'> {
  close(): Promise<void>;
}

const FORGET_EVERY_MS = 5_000;
const SWEEP_EVERY_MS = 60_000;
const SWEEP_AT_ONCE = 1_000;
const SWEEPS_MAX = 20;

export const openDispatcher = (deps: DispatcherDeps): Promise<DispatcherService> =>
  openWith(deps.log, (closing) => compose(deps, closing));

async function compose({ channels, ...deps }: DispatcherDeps, closing: Closing): Promise<DispatcherService> {
  const { db, clock, broker } = deps;
  await createCollections(db, collections);
  const publishOutcome = outcomePublishers(broker, closing);
  const closings = closing.add(
    'channels',
    channels.map(() => new Closing(deps.log)),
    async (opened) => void (await Promise.all(opened.map((each) => each.close()))),
  );
  const values = new SentValuesStore(db, clock);
  const stops = await openStops(deps);
  const stores = {
    stops,
    values,
    leases: mongoLeases(db, collectionOf(db, workerLeasesModel)),
    readThrottles: throttlesIn(modelOf(db, throttlesModel)),
    waiting: waitingLanes(collectionOf(db, attemptsModel)),
    publishOutcome,
  };
  const opened: ChannelDispatcher[] = [];
  for (const [i, channel] of channels.entries()) {
    const log = deps.log.child({ channel });
    opened.push(await openChannel({ ...deps, ...stores, log, channel }, closings[i]!));
  }
  closing.add('stops', await followStops(deps, stops), (subscription) => subscription.stop());
  const deletions = await followDeletions(deps, {
    service: 'dispatcher',
    purge: dispatcherPurge({ db, clock, values }),
  });
  closing.add('deletions', deletions, (followed) => followed.stop());
  keep(deps, opened, stops, closing);

  const own = async (): Promise<string[]> => (await Promise.all(opened.map((channel) => channel.open()))).flat();
  const shared = async (): Promise<string[]> => {
    const groups = channelNames().flatMap((each) => lanes.map((lane) => dispatcherGroup(each, lane)));
    const lags = await Promise.all([...groups, STOPS_GROUP].map((group) => broker.lag(group)));
    const behind = lags.flat().filter(({ committed, end }) => committed < end);
    return [
      ...(await deletions.open()),
      ...behind.map(({ topic, partition, committed, end }) => `${end - committed} of ${topic} ${partition}`),
    ];
  };
  return {
    operations: operationsOf(deps, { own, shared, deletions: () => deletions.due() }),
    providers: providersOfAll(opened),
    attempts: deviceAttempts(collectionOf(db, attemptsModel)),
    sentValues: sentValuesRpc(values),
    close: () => closing.close(),
  };
}

type Deps = Omit<DispatcherDeps, 'channels'>;

async function openStops({ db, clock, log, exclusive }: Deps): Promise<StoppedMessages> {
  const stops = new StoppedMessages({
    store: mongoStops(collectionOf(db, stopsModel), collectionOf(db, attemptsModel)),
    clock,
    timers: systemTimers,
    isAlone: () => exclusive?.isHeld === true,
    onError: (error) => log.warn({ err: error }, 'reading stopped messages failed'),
  });
  await stops.refresh();
  return stops;
}

const followStops = ({ broker, log, metrics }: Deps, stops: StoppedMessages): Promise<Subscription> =>
  consume(broker, {
    group: STOPS_GROUP,
    topics: { [topicNames.stops]: facts.messages },
    report: incidentsTo(log, metrics),
    handler: (records) => stops.record([...new Set(records.map(({ value }) => value.code))]),
  });

const providersOfAll = (channels: readonly ChannelDispatcher[]): Providers => ({
  async listProviders(request) {
    const replies = await Promise.all(channels.map(({ providers }) => providers.listProviders(request)));
    return { providers: replies.flatMap((reply) => reply.providers) };
  },
  async liftThrottle(request) {
    const replies = await Promise.all(channels.map(({ providers }) => providers.liftThrottle(request)));
    return { lifted: replies.some(({ lifted }) => lifted) };
  },
});

function keep(
  { db, clock, log, exclusive }: Deps,
  channels: readonly ChannelDispatcher[],
  stops: StoppedMessages,
  closing: Closing,
): void {
  const closingWith = (name: string, periodic: Periodic): void =>
    void closing.add(name, periodic, (each) => each.stop());
  const regularly = (name: string, everyMs: number, work: () => Promise<void>): void =>
    closingWith(name, every(everyMs, work, { name, log, clock }));
  const refresh = async (): Promise<void> => void (await Promise.all(channels.map((channel) => channel.refresh())));
  closingWith('throttles', look(refresh, { name: 'throttles', log, clock, exclusive }));
  regularly('forgetting of credentials', FORGET_EVERY_MS, async () => {
    // The deletion reaches only one process, so every process checks.
    const tried = new Set(channels.flatMap((channel) => channel.applications()));
    for (const application of await deletedAmong(db, [...tried])) {
      for (const channel of channels) channel.forget(application);
    }
  });
  regularly('removal of old attempts', SWEEP_EVERY_MS, async () => {
    const attempts = collectionOf(db, attemptsModel);
    for (let sweep = 0; sweep < SWEEPS_MAX; sweep++) {
      if ((await forgetAttempts(attempts, trustedTime(clock) - ATTEMPTS_KEPT_MS, SWEEP_AT_ONCE)) < SWEEP_AT_ONCE) break;
    }
    for (const channel of channels) await channel.forgetUnsettled(trustedTime(clock) - GIVE_UP_MS, SWEEP_AT_ONCE);
    await forgetPaces(collectionOf(db, pacesModel), systemClock.trusted());
    const stoppedBefore = systemClock.trusted() - STOPS_KEPT_MS;
    await forgetStops(collectionOf(db, stopsModel), stoppedBefore);
    stops.forget(stoppedBefore);
    await forgetLeases(collectionOf(db, workerLeasesModel));
  });
}
