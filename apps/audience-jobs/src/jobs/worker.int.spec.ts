import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { type LogWriter, openLogs } from '@tidings/event-store';
import { ExportFormat, JobFailure, JobKind, type JobPartProcessed } from '@tidings/events';
import type { Job, JobAction } from '@tidings/jobs';
import { Fault } from '@tidings/kernel';
import { createCollections } from '@tidings/mongo';
import { describeWithMongo, LONG_TIMEOUT, TestClock } from '@tidings/testing';
import { type Logger, pino } from 'pino';
import { collections } from '../collections.ts';
import { POISON } from './dying-worker.features.ts';
import { type JobCommand, jobsLog, logOfJob } from './job-log.ts';
import { type JobStore, openJobStore } from './job-store.ts';
import { Worker, type WorkerDeps } from './worker.ts';

const { JOB_KIND_SET_TAGS: TAGS, JOB_KIND_EXPORT: EXPORT } = JobKind;
const PARTS = 6;
const LEASE_S = 11;

const resultOf = ({ parts: part }: Job): JobPartProcessed => ({
  part,
  entries: 1,
  done: 1,
  notFound: 0,
  failed: 0,
});

describeWithMongo('a worker', (mongo) => {
  const clock = new TestClock();
  let databases = 0;
  let database: string;
  let store: JobStore;
  let writer: LogWriter<JobCommand, Job>;
  let workers: Worker[];
  let lines: Record<string, unknown>[];
  let failures: JobFailure[];
  let worked: string[];

  const log = (): Logger => pino({ level: 'info' }, { write: (line) => void lines.push(JSON.parse(line) as never) });
  const say = (id: string, action: JobAction): Promise<Job> =>
    writer.submit(logOfJob(id), { id, action, at: new Date(clock.now()) });
  const accept = async (id: string, application: string, kind = TAGS, account = 'a'): Promise<void> => {
    clock.advance(0.001);
    const accepted = { kind, application, entries: PARTS, parts: PARTS, bytes: 1, createMissingTags: false };
    const { EXPORT_FORMAT_UNSPECIFIED: exportFormat } = ExportFormat;
    await say(id, { type: 'accept', account, accepted: { ...accepted, exportFormat } });
  };
  const start = (process: WorkerDeps['process']): Worker => {
    const countFailure = (reason: JobFailure): void => void failures.push(reason);
    const worker = new Worker({
      db: mongo.database(database),
      clock,
      log: log(),
      store,
      writer,
      process,
      countFailure,
    });
    workers.push(worker);
    return worker;
  };
  const work = async (job: Job): Promise<JobPartProcessed> => {
    await store.queues();
    worked.push(job.id);
    return resultOf(job);
  };
  const until = async (id: string, is: (job: Job) => boolean): Promise<Job> => {
    for (;;) {
      const job = await store.find(id);
      if (job && is(job)) return job;
    }
  };
  const allDone = async (): Promise<void> => {
    while ((await store.queues()).length > 0);
  };
  const endOf = (id: string): number => worked.lastIndexOf(id);
  const lastEnd = (application: string): number => worked.findLastIndex((id) => id.startsWith(application));

  beforeEach(async () => {
    [workers, lines, failures, worked] = [[], [], [], []];
    database = `worker-${++databases}`;
    const db = mongo.database(database);
    await createCollections(db, collections);
    store = openJobStore(db, clock, []);
    writer = openLogs(db, jobsLog, { clock, ...LONG_TIMEOUT });
    await writer.applyCommits();
  });
  afterEach(async () => {
    await Promise.all(workers.map((worker) => worker.stop()));
    await writer.close();
  });

  it.each([1, 2, 3])(
    'completes the job of one application before the queue of another, with %i workers',
    async (many) => {
      for (let i = 0; i < 8; i++) await accept(`A-export-${i}`, 'A', EXPORT);
      for (let i = 0; i < 4; i++) await accept(`A-bulk-${i}`, 'A');
      await accept('B-bulk', 'B');
      await accept('C-export', 'C', EXPORT);
      for (let i = 0; i < many; i++) start(work);
      await allDone();
      expect(worked).toHaveLength(14 * PARTS);
      for (const id of ['B-bulk', 'C-export']) {
        expect(endOf(id)).toBeLessThan(lastEnd('A'));
        // Also while A's first jobs were running.
        expect(worked.slice(0, endOf(id)).filter((each) => each.startsWith('A')).length).toBeLessThan(7 * PARTS);
      }
      const bulk = worked.filter((id) => id.startsWith('A-bulk'));
      expect(bulk).toEqual([0, 1, 2, 3].flatMap((i) => Array.from({ length: PARTS }, () => `A-bulk-${i}`)));
    },
  );

  it('serves an account with one application like one with many', async () => {
    for (const application of ['A1', 'A2', 'A3', 'A4', 'A5', 'A6']) await accept(`${application}-bulk`, application);
    await accept('B-bulk', 'B', TAGS, 'b');
    start(work);
    await allDone();
    expect(worked.slice(0, endOf('B-bulk')).length).toBeLessThan(4 * PARTS);
  });

  it('fails a job whose processes died three times at a part, gives the reason, and does not touch it again (R-S3)', async () => {
    await accept('poison', 'A', EXPORT);
    for (const worker of ['dead-1', 'dead-2', 'dead-3']) await say('poison', { type: 'beginAttempt', part: 0, worker });
    await accept('innocent', 'A', EXPORT);
    start(work);
    expect(await until('poison', ({ status }) => status !== 'Pending')).toMatchObject({
      status: 'Failed',
      reason: JobFailure.JOB_FAILURE_PROCESS_DIED,
    });
    expect(await until('innocent', ({ status }) => status !== 'Pending')).toMatchObject({ status: 'Completed' });
    expect(worked).not.toContain('poison');
    expect(failures).toEqual([JobFailure.JOB_FAILURE_PROCESS_DIED]);
    expect(lines).toContainEqual(
      expect.objectContaining({
        job: 'poison',
        application: 'A',
        part: 0,
        reason: 'JOB_FAILURE_PROCESS_DIED',
        msg: 'bulk job failed',
      }),
    );
  });

  it('runs a job alone that may have killed a process, until it has progressed', async () => {
    await accept('A-1', 'A', EXPORT);
    await accept('suspect', 'B', EXPORT);
    await say('suspect', { type: 'beginAttempt', part: 0, worker: 'dead' });
    await accept('C-1', 'C', EXPORT);
    await accept('D-1', 'D', EXPORT);
    const atWork = new Map<string, number>();
    let together: string[] = [];
    const two = Promise.withResolvers<void>();
    start(async (job) => {
      atWork.set(job.id, job.parts);
      const others = [...atWork.keys()].filter((id) => id !== job.id);
      if (atWork.get('suspect') === 0) together = [...together, ...(job.id === 'suspect' ? others : [job.id])];
      const result = await work(job);
      // Afterwards two run concurrently again.
      if (worked.includes('suspect') && job.id !== 'suspect') await (atWork.size > 1 ? two.resolve() : two.promise);
      atWork.delete(job.id);
      return result;
    });
    await allDone();
    expect(together).toEqual([]);
    await two.promise;
    expect(await store.find('suspect')).toMatchObject({ status: 'Completed' });
  });

  it('writes one commit per part of a turn, and one that begins the turn', async () => {
    await accept('A-1', 'A');
    start(work);
    await allDone();
    // One that accepts; 1 + 4 of the first turn; 1 + 2 of the second.
    expect(await mongo.database(database).collection('jobs.commits').countDocuments()).toBe(9);
  });

  it('counts no attempt that a shutdown ends, even if the process is killed before its work ends', async () => {
    await accept('slow', 'A');
    const begun = Promise.withResolvers<void>();
    const finished = Promise.withResolvers<void>();
    const worker = start(async (job) => {
      begun.resolve();
      await finished.promise;
      return resultOf(job);
    });
    await begun.promise;
    expect(await store.find('slow')).toMatchObject({ attempts: 0, parts: 0, workers: [expect.any(String)] });
    const stopped = worker.stop();
    expect(await until('slow', (job) => job.status === 'Pending' && job.workers.length === 0)).toMatchObject({
      parts: 0,
    });
    finished.resolve();
    await stopped;
    expect(await store.find('slow')).toMatchObject({ status: 'Pending', attempts: 0, parts: 1, workers: [] });
  });

  it('counts no attempt that ends because a service is unavailable', async () => {
    await accept('waiting', 'A');
    let away = 4;
    start(async (job) => {
      if (away-- > 0) throw Fault.unavailable('registry does not answer');
      return resultOf(job);
    });
    expect(await until('waiting', ({ status }) => status !== 'Pending')).toMatchObject({ status: 'Completed' });
    expect(away).toBeLessThan(0);
  });

  it('is killed exactly three times by a poison job, and completes the concurrent job', async () => {
    await accept('beside-1', 'other');
    await accept('poison', POISON);
    await accept('beside-2', 'another', EXPORT);
    await writer.close();
    const program = fileURLToPath(new URL('./dying-worker.features.ts', import.meta.url));
    const loader = ['--conditions=@tidings/source', '--import', '@swc-node/register/esm-register'];
    const name = mongo.database(database).databaseName;
    const deaths: string[] = [];
    for (;;) {
      const args = [...loader, program, mongo.url, name, clock.date.toISOString()];
      const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
      const ended = once(child, 'exit');
      const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr)]);
      const [code, signal] = (await ended) as [number | null, string | null];
      if (signal !== 'SIGKILL') {
        expect({ code, errors }).toEqual({ code: 0, errors: '' });
        expect(output).toContain('JOB_FAILURE_PROCESS_DIED');
        break;
      }
      deaths.push(signal);
      expect(deaths.length).toBeLessThanOrEqual(3);
      clock.advance(LEASE_S);
    }
    expect(deaths).toHaveLength(3);
    expect(await store.find('poison')).toMatchObject({ status: 'Failed', parts: 0 });
    expect(await store.find('beside-1')).toMatchObject({ status: 'Completed' });
    expect(await store.find('beside-2')).toMatchObject({ status: 'Completed' });
  });
});
