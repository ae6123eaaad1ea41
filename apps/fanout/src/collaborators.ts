import { commitRetention } from '@tidings/event-store';
import { createCollections, leasesModel } from '@tidings/mongo';
import {
  DeviceScan,
  devicesModel,
  openConfiguration,
  openTags,
  type PlanDocument,
  PLANS,
} from '@tidings/registry-store';
import type { Closing, ServiceDeps } from '@tidings/runtime';
import { openLogCategory } from '@tidings/service/log-category';
import type { Broker } from '@tidings/streaming';
import { type ChunkDeps, emitPaced, planAndEmit } from './chunk-tasks.ts';
import { collections } from './collections.ts';
import { BufferPool } from './emit/buffer-pool.ts';
import { emissionMetrics } from './emit/emission-metrics.ts';
import { SliceStatusStore } from './emit/slice-statuses.ts';
import { PacedMessages } from './pace/paced-messages.ts';
import { Pacer } from './pace/pacer.ts';
import { RecentPlans } from './plan/recent-plans.ts';
import { plansLog } from './plan/plan-log.ts';
import { planRecords } from './plan/plan-records.ts';
import { openSendingApplications } from './plan/sending-application.ts';
import { fanoutsLog } from './release/fanouts.ts';
import { OutgoingMessages } from './release/outgoing.ts';
import { Releases } from './release/releases.ts';
import { FanoutChunks } from './release/fanout-chunks.ts';
import { Badges } from './settle/badges.ts';
import { Settling } from './settle/settling.ts';
import { Watch } from './watch/watch.ts';
import { watchMetrics } from './watch/watch-metrics.ts';

const BROADCAST_BUFFERS = 2;
const DIRECT_BUFFERS = 16;
const RELEASE_BUFFERS = 64;
const PACED_BUFFERS = 2;
const CACHE_BYTES = 8 << 20;

export interface FanoutDeps extends ServiceDeps {
  readonly broker: Broker;
  readonly watchEveryMs?: number;
  /** Devices beyond it are read again. @default 64 MiB */
  readonly bufferBytes?: number;
  readonly deploymentPlatforms?: readonly number[];
}

async function openPlanLogs(deps: FanoutDeps, closing: Closing) {
  const shared = { service: 'fanout', publish: planRecords, cyclesInFlight: 1 } as const;
  const planLogs = await openLogCategory(
    deps,
    plansLog,
    { ...shared, cacheBytes: CACHE_BYTES, retentionMs: commitRetention.asFigures },
    closing,
  );
  const fanoutLogs = await openLogCategory(
    deps,
    fanoutsLog,
    { ...shared, retentionMs: commitRetention.asDetails },
    closing,
  );
  return { planLogs, fanoutLogs };
}

export type Collaborators = Awaited<ReturnType<typeof openCollaborators>>;

export async function openCollaborators(deps: FanoutDeps, closing: Closing) {
  const { db, clock, broker, metrics, bufferBytes } = deps;
  // Scans name their indexes.
  await createCollections(db, [...collections, devicesModel, leasesModel]);
  const { planLogs, fanoutLogs } = await openPlanLogs(deps, closing);
  const [plans, fanouts] = [planLogs.writer, fanoutLogs.writer];
  const outgoing = new OutgoingMessages(db, clock);
  const scan = new DeviceScan(db);
  const statuses = new SliceStatusStore(db);
  const configuration = openConfiguration(db);
  const tags = openTags(configuration);
  const recentPlans = new RecentPlans();
  const chunks: ChunkDeps = {
    db,
    clock,
    broker,
    scan,
    outgoing,
    statuses,
    plans,
    recentPlans,
    storedPlans: db.collection<PlanDocument>(PLANS),
    metrics: emissionMetrics(metrics),
    findApplication: openSendingApplications(configuration, deps.deploymentPlatforms),
    async findTags(account, names) {
      const set = await tags.of(account, names);
      return names.map((name) => set.named(name));
    },
    findClearingTags: configuration.clearingTags,
  };
  const directBuffers = new BufferPool(DIRECT_BUFFERS, bufferBytes);
  const broadcastBuffers = new BufferPool(BROADCAST_BUFFERS, bufferBytes);
  const releaseBuffers = new BufferPool(RELEASE_BUFFERS, bufferBytes);
  const releases = new Releases({
    clock,
    broker,
    scan,
    outgoing,
    fanouts,
    plan: (message, key, options) => planAndEmit(chunks, message, key, releaseBuffers, options),
  });
  const badges = new Badges(db, outgoing, statuses);
  const settling = new Settling({ db, clock, outgoing, statuses, plans, recentPlans, badges });
  const fanoutChunks = new FanoutChunks(db);
  const paced = new PacedMessages(db);
  const pacedBuffers = new BufferPool(PACED_BUFFERS, bufferBytes);
  const pacer = new Pacer({
    outgoing,
    paced,
    broker,
    fanoutChunks,
    settling,
    emit: (message, key, limits) => emitPaced(chunks, message, key, pacedBuffers, limits),
  });
  const watch = new Watch({ clock, broker, outgoing, statuses, settling, releases, fanoutChunks });
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
