import { every } from '@tidings/coordination';
import { commitRetention, logMetrics, openLogs, openRelay, type Problem, truncateLogs } from '@tidings/event-store';
import { JobEvent, JobKind, type JobPartProcessed, topicNames } from '@tidings/events';
import type { Job } from '@tidings/jobs';
import { trustedTime } from '@tidings/kernel';
import { createCollections, removeLeases } from '@tidings/mongo';
import type { Devices, Segments, Served, Tags } from '@tidings/rpc';
import { type Closing, openWith, operationsOf, type ServiceDeps } from '@tidings/runtime';
import { followDeletions } from '@tidings/service/deletions';
import type { Broker } from '@tidings/streaming';
import { collections } from './collections.ts';
import { openArchives } from './exports/archives.ts';
import { openInputs } from './exports/inputs.ts';
import { exportProcessor } from './exports/export-process.ts';
import { exportsRpc } from './exports/exports-rpc.ts';
import { openAdmission } from './jobs/job-admission.ts';
import { jobsLog } from './jobs/job-log.ts';
import { failureMetrics, jobMetrics } from './jobs/job-metrics.ts';
import { openJobParts } from './jobs/job-parts.ts';
import { partProcessor } from './jobs/job-process.ts';
import { jobPurge } from './jobs/job-purge.ts';
import { jobsRpc } from './jobs/jobs-rpc.ts';
import { openJobStore } from './jobs/job-store.ts';
import { unacceptedParts } from './jobs/unaccepted-parts.ts';
import { JOB_LEASES, LEASES_KEPT_MS, Worker } from './jobs/worker.ts';

const EXPIRY_EVERY_MS = 60_000;
const MAX_REPORTED = 20;

export interface AudienceJobsDeps extends ServiceDeps {
  readonly broker: Broker;
  readonly tags: Pick<Tags, 'addMissingTags' | 'listTags'>;
  readonly devices: Pick<Devices, 'applyBatch' | 'resolve'>;
  readonly segments: Pick<Segments, 'select' | 'chooseLookup' | 'scan'>;
  readonly replicaOf?: (log: string) => string;
}

export interface AudienceJobsService extends Served<'audience-jobs'> {
  close(): Promise<void>;
}

/** Any number of instances may run concurrently. */
export const openAudienceJobs = (deps: AudienceJobsDeps): Promise<AudienceJobsService> =>
  openWith(deps.log, (closing) => compose(deps, closing));

async function compose(deps: AudienceJobsDeps, closing: Closing): Promise<AudienceJobsService> {
  const { db, clock, log, metrics, keys, broker, tags, devices, segments, replicaOf = () => '', exclusive } = deps;
  const onProblem = ({ error, ...problem }: Problem): void =>
    log.error({ ...problem, err: error }, 'event log problem');
  await createCollections(db, collections);
  const [parts, inputs, archives] = [openJobParts(db), openInputs(db), openArchives(db)];
  const store = openJobStore(db, clock, [parts, inputs, archives]);
  const relay = closing.add(
    'relay',
    await openRelay({
      db,
      category: jobsLog.category,
      broker,
      exclusive,
      decode: (bytes) => jobsLog.decode(bytes),
      isKnown: (event) => jobsLog.isKnown(event),
      publish: ({ log: name, position, events }) =>
        events.map((event, index) => ({
          topic: topicNames.jobs,
          key: event.job,
          value: JobEvent.encode({ ...event, stamp: { log: name, position: BigInt(position), index } }).finish(),
        })),
      onProblem: (error) => log.warn({ category: jobsLog.category, err: error }, 'relay failed'),
    }),
    (opened) => opened.close(),
  );
  const writer = openLogs(db, jobsLog, { clock, onProblem, committed: relay.enqueue, exclusive });
  closing.add('log', writer, (opened) => opened.close());
  await writer.applyCommits();
  logMetrics(metrics, { category: jobsLog.category, writer, relay });
  const truncation = truncateLogs(db, jobsLog, { clock, log, retentionMs: commitRetention.asDetails });
  closing.add('truncation of jobs', truncation, (periodic) => periodic.stop());
  jobMetrics(metrics, store, clock);

  const processPart = partProcessor({ parts, tags, devices, replicaOf, deviceKey: keys.identity.device });
  const exportPart = exportProcessor({ clock, inputs, archives, segments });
  const process = (job: Job, mayGoOn: () => boolean): Promise<JobPartProcessed> =>
    job.accepted.kind === JobKind.JOB_KIND_EXPORT ? exportPart(job) : processPart(job, mayGoOn);
  const countFailure = failureMetrics(metrics);
  const worker = new Worker({ db, clock, log, store, writer, process, countFailure, exclusive });
  closing.add('worker', worker, (opened) => opened.stop());
  const removeUnaccepted = unacceptedParts({ clock, parts, store });
  closing.add(
    'expiry',
    every(
      EXPIRY_EVERY_MS,
      async () => {
        await store.removeExpired();
        await removeUnaccepted();
        await removeLeases(db, JOB_LEASES, new Date(trustedTime(clock) - LEASES_KEPT_MS));
      },
      { name: 'expiry of bulk jobs', log },
    ),
    (opened) => opened.stop(),
  );

  const deletions = await followDeletions(
    { db, clock, log, metrics, broker, exclusive },
    { service: 'audience-jobs', purge: jobPurge({ clock, store, writer }) },
  );
  closing.add('deletions', deletions, (opened) => opened.stop());

  const open = async (): Promise<string[]> => [
    ...(await deletions.open()),
    ...(await store.due(MAX_REPORTED)).map(({ id }) => `audience-jobs: bulk job ${id}`),
    ...(writer.idle() ? [] : ['audience-jobs: writing']),
    ...((await relay.caughtUp()) ? [] : ['audience-jobs: publishing']),
  ];
  const accepted = (): void => worker.wake();
  const admission = openAdmission(store);
  return {
    jobs: {
      ...jobsRpc({ clock, parts, admission, store, writer, accepted }),
      ...exportsRpc({ clock, inputs, archives, segments, admission, store, writer, accepted }),
    },
    operations: operationsOf(
      { clock, metrics, db },
      { own: open, shared: async () => [], deletions: () => deletions.due() },
    ),
    close: () => closing.close(),
  };
}
