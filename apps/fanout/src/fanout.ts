import { every, sharedReads } from '@tidings/coordination';
import { fanoutGroups, withDeployment } from '@tidings/delivery';
import { commitRetention } from '@tidings/event-store';
import { facts, FanoutTask, type MessageEvent, topicNames } from '@tidings/events';
import { sureTime } from '@tidings/kernel';
import { createCollections, isTransient, Lease, leasesModel, transientAsFault } from '@tidings/mongo';
import { DeviceScan, devicesModel, openConfiguration, openTags } from '@tidings/registry-store';
import type { Served } from '@tidings/rpc';
import { Closing, type OpenWork, operationsOf, type ServiceDeps } from '@tidings/runtime';
import { openLogCategory } from '@tidings/service/log-category';
import { type Broker, consume, type ConsumeOptions, type Headers, incidentsTo, type Readers } from '@tidings/streaming';
import { currentTrace, inSpan, type Trace, traceOf } from '@tidings/telemetry';
import { Badges } from './settle/badges.ts';
import { collections } from './collections.ts';
import { Chunks } from './chunks.ts';
import { BufferPool } from './buffer-pool.ts';
import { removeExpired } from './message-expiry.ts';
import { PacedMessages } from './pace/paced-messages.ts';
import { Pacer } from './pace/pacer.ts';
import { KnownPlans } from './plan/known-plans.ts';
import { planRecords } from './plan/plan-records.ts';
import { Releases } from './release/releases.ts';
import { sendingApplicationOf } from './plan/sending-application.ts';
import { fanoutMetrics, watchMetrics } from './fanout-metrics.ts';
import { OutgoingMessages } from './release/outgoing.ts';
import { fanoutsLog } from './plan/fanouts.ts';
import { plansLog } from './plan/plan-log.ts';
import { Settling } from './settle/settling.ts';
import { SliceStatusStore } from './settle/slice-statuses.ts';
import { Splits } from './watch/splits.ts';
import { Watch } from './watch/watch.ts';

/** Chunks of broadcasts in progress: one scans while the other writes. */
const BROADCAST_BUFFERS = 2;
const DIRECT_BUFFERS = 16;
/** Messages to a few recipients each that are planned together: they share reads, commits and writes. */
const RELEASE_BUFFERS = 64;
const PACED_BUFFERS = 2;
/** A handler takes no further task after this time: it must end within 5 s (architecture 6). */
const PATIENCE_MS = 2_000;
const WATCH_EVERY_MS = 1_000;
const WATCH_LEASE_MS = 10_000;
/** A part of the second that slices are emitted ahead. */
const PACE_EVERY_MS = 200;
/** Interval of the looks for messages with a send rate while there are none: such a message waits for it once, before its first slice. */
const UNPACED_EVERY_MS = 1_000;
/** Two pacers are harmless, and a pause is visible: the lease is shorter than others. */
const PACE_LEASE_MS = 2_000;
const SWEEP_EVERY_MS = 5_000;
/** Maximum number of messages that the barrier checks. */
const BARRIER_MESSAGES = 1_000;

export interface FanoutDeps extends ServiceDeps {
  readonly broker: Broker;
  /** How often the watchdog runs, in milliseconds. @default 1000 */
  readonly watchEveryMs?: number;
  /** Bytes of tokens and values held per chunk; beyond that, devices are read again. @default 64 MiB */
  readonly bufferBytes?: number;
  /** Platforms for which the deployment has settings, for applications without their own (R-A6). @default none */
  readonly deploymentPlatforms?: readonly number[];
}

export interface FanoutService extends Served<'fanout'> {
  close(): Promise<void>;
}

/**
 * Opens the fan-out: it decides the recipients of each message, once, and emits every slice until it is settled (sending 2). Uses the registry's
 * database; any number of processes may run in parallel.
 */
export async function openFanout(deps: FanoutDeps): Promise<FanoutService> {
  const closing = new Closing(deps.log);
  try {
    return await compose(deps, closing);
  } catch (error) {
    await closing.close();
    throw error;
  }
}

async function compose(deps: FanoutDeps, closing: Closing): Promise<FanoutService> {
  const { broker } = deps;
  const collaborators = await openCollaborators(deps, closing);
  await consumeAll(deps, collaborators, closing);
  keepWatch(deps, collaborators, closing);
  const { fanoutLogs, planLogs, watch } = collaborators;
  const open: OpenWork = {
    own: async () => [...(await fanoutLogs.open.own()), ...(await planLogs.open.own())],
    async shared() {
      const behind = await Promise.all(Object.values(fanoutGroups).map((group) => lagOf(broker, group)));
      const unpublished = [...(await fanoutLogs.open.shared()), ...(await planLogs.open.shared())];
      return [...behind.flat(), ...unpublished, ...(await watch.openMessages(BARRIER_MESSAGES))];
    },
  };
  return { operations: operationsOf(deps, open), close: () => closing.close() };
}

/** Plans are settled soon after they are made, and every counted plan changes its chunk's page of the day. */
const REMEMBERED_BYTES = 8 << 20;

type Collaborators = Awaited<ReturnType<typeof openCollaborators>>;

async function openCollaborators(deps: FanoutDeps, closing: Closing) {
  const { db, clock, broker, metrics, bufferBytes } = deps;
  // Scans name their indexes.
  await createCollections(db, [...collections, devicesModel, leasesModel]);
  // One round of writes at a time, with all that waits for it: single messages share more.
  const shared = { service: 'fanout', publish: planRecords, cyclesInFlight: 1 } as const;
  const planLogs = await openLogCategory(
    deps,
    plansLog,
    { ...shared, rememberedBytes: REMEMBERED_BYTES, retentionMs: commitRetention.asFigures },
    closing,
  );
  const fanoutLogs = await openLogCategory(
    deps,
    fanoutsLog,
    { ...shared, retentionMs: commitRetention.asDetails },
    closing,
  );
  const [plans, fanouts] = [planLogs.writer, fanoutLogs.writer];
  const outgoing = new OutgoingMessages(db, clock);
  const scan = new DeviceScan(db);
  const statuses = new SliceStatusStore(db);
  const configuration = openConfiguration(db);
  const tags = openTags(configuration);
  const applications = sharedReads(
    async (codes) => {
      const found = await configuration.applications(codes);
      return new Map(
        found.map((each) => [each.code, withDeployment(sendingApplicationOf(each), deps.deploymentPlatforms ?? [])]),
      );
    },
    { mayBeOneItem: (error) => !isTransient(error) },
  );
  const known = new KnownPlans();
  const chunks = new Chunks({
    db,
    clock,
    broker,
    scan,
    outgoing,
    statuses,
    plans,
    known,
    metrics: fanoutMetrics(metrics),
    findApplication: async (code) => (await applications([code])).get(code),
    async findTags(account, names) {
      const set = await tags.of(account, names);
      return names.map((name) => set.named(name));
    },
    findClearingTags: configuration.clearingTags,
  });
  const directBuffers = new BufferPool(DIRECT_BUFFERS, bufferBytes);
  const broadcastBuffers = new BufferPool(BROADCAST_BUFFERS, bufferBytes);
  const releaseBuffers = new BufferPool(RELEASE_BUFFERS, bufferBytes);
  const releases = new Releases({ clock, broker, scan, outgoing, chunks, buffers: releaseBuffers, fanouts });
  const badges = new Badges(db, outgoing, statuses);
  const settling = new Settling({ db, clock, outgoing, statuses, plans, known, badges });
  const splits = new Splits(db);
  const paced = new PacedMessages(db);
  const pacedBuffers = new BufferPool(PACED_BUFFERS, bufferBytes);
  const pacer = new Pacer({ outgoing, paced, chunks, splits, settling, pool: pacedBuffers });
  const watch = new Watch({ clock, broker, outgoing, statuses, settling, releases, splits });
  watchMetrics(metrics, () => watch.openSlices());
  return {
    outgoing,
    statuses,
    planLogs,
    fanoutLogs,
    chunks,
    directBuffers,
    broadcastBuffers,
    releases,
    settling,
    watch,
    paced,
    pacer,
  };
}

/** Works on a task in the trace of its message. */
const inTaskSpan = (headers: Headers | undefined, work: () => Promise<void>): Promise<void> =>
  inSpan('plan chunk', { of: [traceOf(headers), currentTrace()] }, work);

/** The traces of messages, by code. */
function tracesOf(records: readonly { value: MessageEvent; headers?: Headers | undefined }[]): Map<string, Trace> {
  const traces = new Map<string, Trace>();
  for (const { value, headers } of records) {
    const trace = traceOf(headers);
    if (trace) traces.set(value.code, trace);
  }
  return traces;
}

async function consumeAll(
  { broker, log, metrics }: FanoutDeps,
  collaborators: Collaborators,
  closing: Closing,
): Promise<void> {
  const { chunks, directBuffers, broadcastBuffers, releases, settling } = collaborators;
  const subscribe = async <const R extends Readers>(options: ConsumeOptions<R>): Promise<void> => {
    const subscription = await consume(broker, {
      ...options,
      handler: (records) => transientAsFault(() => options.handler(records)),
      report: incidentsTo(log, metrics),
    });
    closing.add(options.group, subscription, () => subscription.stop());
  };
  await subscribe({
    group: fanoutGroups.messages,
    topics: { [topicNames.messages]: facts.messages },
    maxRecords: 100,
    handler: (records) =>
      releases.handle(
        records.map(({ value }) => value),
        tracesOf(records),
      ),
  });
  await subscribe({
    group: fanoutGroups.tasks,
    topics: { [topicNames.fanout]: FanoutTask },
    maxRecords: 16,
    async handler(records) {
      const startedAt = performance.now();
      let done = 0;
      for (const { value, headers } of records) {
        if (done > 0 && performance.now() - startedAt > PATIENCE_MS) break;
        await inTaskSpan(headers, () => chunks.work(value, broadcastBuffers));
        done++;
      }
      return done;
    },
  });
  await subscribe({
    group: fanoutGroups.direct,
    topics: { [topicNames.fanoutDirect]: FanoutTask },
    maxRecords: 100,
    // Tasks run in parallel, so that one commit plans all messages that wait for a chunk.
    async handler(records) {
      const tasks = records.map(({ value, headers }) => inTaskSpan(headers, () => chunks.work(value, directBuffers)));
      await Promise.all(tasks);
    },
  });
  await subscribe({
    group: fanoutGroups.outcomes,
    topics: { [topicNames.outcomes]: facts.outcomes },
    handler: (records) => settling.record(records.map(({ value }) => value)),
  });
}

/** One process at a time watches and removes expired messages, and one paces; two of them are harmless. */
function keepWatch(
  deps: FanoutDeps,
  { watch, pacer, paced, outgoing, statuses }: Collaborators,
  closing: Closing,
): void {
  const { db, clock, log, watchEveryMs = WATCH_EVERY_MS } = deps;
  interface Role {
    readonly lease: string;
    readonly lengthMs: number;
    readonly rest: () => void;
    /** Whether there is work. @default always */
    readonly isNeeded?: () => Promise<boolean>;
  }
  const role = ({ lease: name, lengthMs, rest, isNeeded }: Role) => {
    const lease = new Lease(db, name, { clock, lengthMs });
    closing.add('lease', lease, () => lease.release());
    return (what: string, everyMs: number, work: (signal: AbortSignal) => Promise<void>): void => {
      const run = async (signal: AbortSignal): Promise<void> => {
        if (isNeeded && !(await isNeeded())) return;
        if (await lease.take()) await work(signal);
        else rest();
      };
      closing.add(what, every(everyMs, run, { name: what, log }), (periodic) => periodic.stop());
    };
  };
  const record = every(watchEveryMs, () => statuses.flush(), { name: 'record of emissions', log });
  closing.add('record of emissions', record, async (periodic) => {
    await periodic.stop();
    // Slices whose record is lost are emitted again.
    await statuses.flush().catch(() => undefined);
  });
  const watching = role({ lease: 'fanout.watch', lengthMs: WATCH_LEASE_MS, rest: () => watch.rest() });
  watching('watch over slices', watchEveryMs, (signal) => watch.run(signal));
  watching('removal of expired messages', SWEEP_EVERY_MS, (signal) =>
    removeExpired(db, outgoing, new Date(sureTime(clock)), signal),
  );
  const pacing = role({
    lease: 'fanout.pace',
    lengthMs: PACE_LEASE_MS,
    rest: () => pacer.rest(),
    isNeeded: rarelyWhileNot(() => paced.hasAny()),
  });
  pacing('emission of rated messages', PACE_EVERY_MS, () => pacer.run());
}

/** Returns a function that asks again only {@link UNPACED_EVERY_MS} after a negative answer. */
function rarelyWhileNot(ask: () => Promise<boolean>): () => Promise<boolean> {
  let restUntil = 0;
  return async () => {
    if (performance.now() < restUntil) return false;
    const answer = await ask();
    if (!answer) restUntil = performance.now() + UNPACED_EVERY_MS;
    return answer;
  };
}

async function lagOf(broker: Broker, group: string): Promise<string[]> {
  const behind = (await broker.lag(group)).filter(({ committed, end }) => committed < end);
  return behind.map(({ topic, partition, committed, end }) => `${group}: ${end - committed} of ${topic} ${partition}`);
}
