import { hostname } from 'node:os';
import { rootCertificates } from 'node:tls';
import { every } from '@tidings/coordination';
import { dispatcherGroup, type Lane, lanes, OPEN_DEVICES, SLICE_SIZE, SLICES_PER_BATCH } from '@tidings/delivery';
import { batchesTopic, SendBatch } from '@tidings/events';
import {
  type ConnectionSettings,
  type FailedOpening,
  failureLog,
  Http2Connection,
  openFrameLink,
  openHttp1Link,
  openNodeLink,
  type OpenLink,
} from '@tidings/http2';
import { Fault } from '@tidings/kernel';
import { collectionOf, modelOf } from '@tidings/mongo';
import type { Devices, Platforms, Providers } from '@tidings/rpc';
import {
  AddressGuard,
  type Closing,
  type Configuration,
  type OutboundProxy,
  type ProviderAddresses,
  type ServiceDeps,
} from '@tidings/runtime';
import { type Broker, consume, incidentsTo } from '@tidings/streaming';
import { traceOf } from '@tidings/telemetry';
import type { CredentialState } from './receive/batch-admission.ts';
import { MongoAttempts } from './attempts/mongo-attempts.ts';
import type { Channel } from './channels/channel-port.ts';
import { Credentials } from './channels/credentials/credential-cache.ts';
import { Dispatch } from './receive/dispatch.ts';
import type { OutcomePublishers } from './send/outcome-topics.ts';
import { channelMetrics, laneMetrics } from './dispatcher-metrics.ts';
import type { SentValuesStore } from './sent/sent-values.ts';
import type { WaitingLanes } from './attempts/waiting-lanes.ts';
import { type LeaseStore, WorkerLease } from './attempts/worker-lease.ts';
import { providersOf } from './provider-views.ts';
import { mongoPaces } from './pace/mongo-paces.ts';
import { Paces } from './pace/pace.ts';
import { connectionMetrics } from './channels/connection-metrics.ts';
import { mongoReceipts } from './channels/sms/mongo-receipts.ts';
import { postFormBy } from './channels/post-form.ts';
import { transports } from './channels/transports.ts';
import { credentialRenewal } from './throttle/credential-renewal.ts';
import { mongoThrottles, type ReadThrottles, Throttles } from './throttle/throttles.ts';
import { type RecheckContacts, contactRechecker } from './retry/recheck-contacts.ts';
import type { StoppedMessages } from './stop/stopped-messages.ts';
import { systemTimers } from './timers.ts';
import { attemptsModel } from './attempts/attempts.schema.ts';
import { pacesModel } from './pace/pace.schema.ts';
import { throttlesModel } from './throttle/throttle.schema.ts';

const BATCHES_AT_ONCE = 4 * (OPEN_DEVICES / (SLICES_PER_BATCH * SLICE_SIZE));
/** Direct batches usually hold one device: one slow provider must not delay all others. */
const DIRECT_AT_ONCE = 1_000;
const RENEW_EVERY_MS = 5_000;

export interface ChannelDeps extends ServiceDeps {
  readonly broker: Broker;
  readonly platforms: Pick<Platforms, 'getCredential'>;
  readonly devices: Pick<Devices, 'findSuppressed'>;
  readonly publicUrl: string;
  readonly channel: string;
  readonly values: SentValuesStore;
  readonly leases: LeaseStore;
  readonly readThrottles: ReadThrottles;
  readonly waiting: WaitingLanes;
  readonly stops: StoppedMessages;
  readonly publishOutcome: OutcomePublishers;
  readonly urls?: ProviderAddresses;
  readonly http2: Configuration['http2'];
  readonly proxy?: OutboundProxy | undefined;
  readonly extraCa?: string | undefined;
  readonly webPushSubject?: string | undefined;
  readonly mailBounceDomain?: string | undefined;
  readonly allowPrivate?: readonly string[];
}

export interface ChannelDispatcher {
  readonly providers: Providers;
  refresh(): Promise<void>;
  open(): Promise<string[]>;
  applications(): string[];
  forget(application: string): void;
  forgetUnsettled(before: number, limit: number): Promise<number>;
}

export async function openChannel(deps: ChannelDeps, closing: Closing): Promise<ChannelDispatcher> {
  const { db, clock, log, channel: name } = deps;
  const attempts = new MongoAttempts(db, attemptsModel, name, deps.waiting);
  const channel = closing.add('connections', transportOf(deps), (opened) => opened.close());
  const throttles = new Throttles({
    store: mongoThrottles(modelOf(db, throttlesModel), name, deps.readThrottles),
    clock,
    onError: (error) => log.warn({ err: error }, 'storing a throttle failed'),
  });
  await throttles.refresh();
  const recheckContacts = channel.hasSuppressions ? contactRechecker(deps) : undefined;
  const dispatches: Dispatch[] = [];
  for (const lane of lanes) {
    dispatches.push(
      await openLane({ ...deps, lane, attempts, throttles, provider: channel, recheckContacts }, closing),
    );
  }
  const states = (): CredentialState[] => dispatches.flatMap((dispatch) => dispatch.credentials());
  renewCredentials(deps, { throttles, channel, states }, closing);
  channelMetrics(deps.metrics, name, {
    deferred: () => attempts.deferred(),
    throttled: () => throttles.throttled().length,
    throttledServices: () => channel.throttledServices?.().length ?? 0,
  });
  return {
    providers: providersOf({
      channel: name,
      throttles,
      states,
      services: channel,
      makeDue: (references) => dispatches.forEach((dispatch) => dispatch.makeDue(references)),
    }),
    refresh: () => throttles.refresh(),
    async open() {
      const { claimed, due, unpublished } = await attempts.counts(
        clock.now(),
        dispatches.flatMap((dispatch) => dispatch.blockedCredentials()),
      );
      const lines: string[] = [];
      if (claimed > 0) lines.push(`${claimed} slices being sent`);
      if (due > 0) lines.push(`${due} slices due`);
      if (unpublished > 0) lines.push(`${unpublished} slices settled, not published`);
      const late = dispatches.reduce((sum, dispatch) => sum + dispatch.late, 0);
      if (late > 0) lines.push(`${late} slices waiting for answers`);
      return lines.map((line) => `dispatcher.${name}: ${line}`);
    },
    applications: () => [...channel.applications(), ...states().map(({ reference }) => reference.split('/')[0]!)],
    forget(application) {
      channel.forget(application);
      for (const dispatch of dispatches) dispatch.forget(application);
    },
    forgetUnsettled: (before, limit) => attempts.forgetUnsettled(before, limit),
  };
}

function transportOf(deps: ChannelDeps): Channel {
  const { platforms, keys, clock, urls = {}, extraCa, proxy, allowPrivate = [] } = deps;
  const { publicUrl, webPushSubject, mailBounceDomain } = deps;
  const openTransport = transports.get(deps.channel);
  if (!openTransport) throw Fault.bug(`channel ${deps.channel} has no transport`);
  const credentials = new Credentials(platforms, keys.master);
  const ca = caCertificatesWith(extraCa);
  const openLink = deps.http2 === 'node' ? openNodeLink : openFrameLink;
  const logged = failureLog(deps.log);
  const counted = connectionMetrics(deps.metrics, deps.channel);
  const onFailure = (failure: FailedOpening, host: string): void => {
    logged(failure, host);
    counted.failed(failure.cause);
  };
  const connectBy = (open: OpenLink) => (settings: ConnectionSettings) =>
    new Http2Connection({ ...settings, proxy, onFailure }, open);
  const addresses = new AddressGuard(allowPrivate);
  return openTransport({
    credentials,
    reportKey: keys.identity.report,
    clock,
    ca,
    urls,
    addresses,
    onFailure,
    publicUrl,
    webPushSubject,
    mailBounceDomain,
    connect: connectBy(openLink),
    connectHttp1: connectBy(openHttp1Link),
    connectBy,
    receipts: () => mongoReceipts(deps),
    onError: (error) => deps.log.warn({ err: error, channel: deps.channel }, 'background work of a channel failed'),
    postForm: postFormBy({ guard: addresses, ca, proxy }),
    postProvider: postFormBy({ ca, proxy }),
  });
}

interface LaneDeps extends ChannelDeps {
  readonly lane: Lane;
  readonly attempts: MongoAttempts;
  readonly throttles: Throttles;
  readonly provider: Channel;
  readonly recheckContacts: RecheckContacts | undefined;
}

async function openLane(deps: LaneDeps, closing: Closing): Promise<Dispatch> {
  const { db, broker, clock, metrics, channel, lane, attempts, values, throttles, provider, recheckContacts } = deps;
  const log = deps.log.child({ lane });
  const workerLease = new WorkerLease({
    name: `${channel}/${lane}/${hostname()}`,
    store: deps.leases,
    timers: systemTimers,
    onError: (error) => log.warn({ err: error }, 'renewing the worker lease failed'),
  });
  workerLease.start();
  closing.add(`${lane} lease`, workerLease, (opened) => opened.stop());
  const dispatch = new Dispatch({
    lane,
    channel: provider,
    store: attempts,
    values,
    stops: deps.stops,
    workerLease,
    throttles,
    clock,
    log,
    publish: deps.publishOutcome[lane],
    recheckContacts,
    paces: new Paces({
      store: mongoPaces(collectionOf(db, pacesModel)),
      timers: systemTimers,
      onError: (error) => log.warn({ err: error }, 'reserving time of a rated message failed'),
    }),
    timers: systemTimers,
    random: Math.random,
    metrics: laneMetrics(metrics, channel, lane),
  });
  dispatch.start();
  closing.add(`${lane} slices`, dispatch, (opened) => opened.stop());
  const subscription = await consume(broker, {
    group: dispatcherGroup(channel, lane),
    topics: { [batchesTopic(channel, lane === 'direct')]: SendBatch },
    maxRecords: lane === 'direct' ? DIRECT_AT_ONCE : BATCHES_AT_ONCE,
    handler: (records) =>
      dispatch.handle(
        records.map(({ value }) => value),
        records.map(({ headers }) => traceOf(headers)),
      ),
    report: incidentsTo(log, metrics),
  });
  closing.add(`${lane} batches`, subscription, (opened) => opened.stop());
  return dispatch;
}

interface Renewed {
  readonly throttles: Throttles;
  readonly channel: Channel;
  readonly states: () => readonly CredentialState[];
}

function renewCredentials(
  { clock, log }: ChannelDeps,
  { throttles, channel, states }: Renewed,
  closing: Closing,
): void {
  const renewal = credentialRenewal({
    blockedCredentials: () => [
      ...throttles.throttled().flatMap(({ versions }) => [...versions.keys()]),
      ...states().flatMap((each) => (each.reachable ? [] : each.reference)),
    ],
    renew: (reference) => channel.renew(reference),
    onRenewed: (reference, version) => throttles.liftOutdated({ reference, version }),
  });
  const name = 'renewal of credentials';
  closing.add(name, every(RENEW_EVERY_MS, renewal, { name, log, clock }), (periodic) => periodic.stop());
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

function caCertificatesWith(extraCa: string | undefined): readonly string[] | undefined {
  if (extraCa === undefined) return undefined;
  const extra = extraCa.match(CERTIFICATE);
  if (!extra) throw Fault.argument('TIDINGS_EXTRA_CA: contains no certificate');
  return [...rootCertificates, ...extra];
}
