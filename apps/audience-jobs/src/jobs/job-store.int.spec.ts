import { beforeAll, expect, it } from '@jest/globals';
import { ExportFormat, JobKind } from '@tidings/events';
import { decideJob, evolveJob, type Job, type JobAction } from '@tidings/jobs';
import { createCollections, Lease, removeLeases } from '@tidings/mongo';
import { describeWithMongo, TestClock } from '@tidings/testing';
import { collections } from '../collections.ts';
import { JOBS, jobsLog } from './job-log.ts';
import { type JobStore, openJobStore } from './job-store.ts';

const { JOB_KIND_SET_TAGS: TAGS, JOB_KIND_EXPORT: EXPORT } = JobKind;

describeWithMongo('startable jobs', (mongo) => {
  const clock = new TestClock();
  let store: JobStore;
  let accepted = clock.now() - 100;

  const save = async (id: string, kind: JobKind, application: string, ...more: JobAction[]): Promise<void> => {
    const facts = { kind, application, entries: 1, parts: 1, bytes: 7, createMissingTags: false };
    const { EXPORT_FORMAT_UNSPECIFIED: exportFormat } = ExportFormat;
    const accept: JobAction = { type: 'accept', account: 'a', accepted: { ...facts, exportFormat } };
    const at = new Date(accepted++);
    const job = [accept, ...more].reduce<Job | undefined>(
      (state, action) => decideJob(id, state, action, at).reduce<Job | undefined>(evolveJob, state),
      undefined,
    )!;
    await mongo.db
      .collection<{ _id: string }>(JOBS)
      .insertOne({ _id: id, ...jobsLog.toDocument(job, { collection: JOBS, id }) });
  };
  const startable = async (application: string): Promise<string[]> => {
    const ids: string[] = [];
    for await (const { id } of store.startable({ account: 'a', application })) ids.push(id);
    return ids;
  };

  beforeAll(async () => {
    await createCollections(mongo.db, collections);
    store = openJobStore(mongo.db, clock, []);
  });

  it('are the oldest of their applications, and every export', async () => {
    const part = { part: 0, entries: 1, done: 1, notFound: 0, failed: 0 };
    await save('done', TAGS, 'x', { type: 'partProcessed', processed: part });
    await save('x-1', TAGS, 'x');
    await save('x-2', TAGS, 'x');
    await save('export-1', EXPORT, 'x');
    await save('y-1', TAGS, 'y', { type: 'attemptFailed', part: 0, worker: 'w' });
    await save('y-2', TAGS, 'y');
    await save('export-2', EXPORT, 'x');
    expect(await store.queues()).toEqual([
      { account: 'a', application: 'x' },
      { account: 'a', application: 'y' },
    ]);
    const open = await store.open({ account: 'a', application: 'x' });
    expect([...open]).toEqual(['x-1', 'x-2', 'export-1', 'export-2'].map((id) => [id, 7]));
    expect(await startable('x')).toEqual(['x-1', 'export-1', 'export-2']);
    expect(await startable('y')).toEqual([]);
    clock.advance(2);
    expect(await startable('y')).toEqual(['y-1']);
  });

  it('are listed for their account, newest first, page by page', async () => {
    const ids: string[] = [];
    let next = '';
    do {
      const page = await store.list('a', next, 3);
      ids.push(...page.jobs.map(({ id }) => id));
      ({ next } = page);
    } while (next !== '');
    expect(ids).toEqual(['export-2', 'y-2', 'y-1', 'export-1', 'x-2', 'x-1', 'done']);
    expect(await store.list('b', '', 3)).toEqual({ jobs: [], next: '' });
  });

  it('are listed by queue without reading each of them', async () => {
    const explained = (await mongo.db.command({
      explain: { distinct: JOBS, key: 'queue', query: { status: 'Pending' } },
      verbosity: 'executionStats',
    })) as { executionStats: { totalKeysExamined: number; totalDocsExamined: number } };
    expect(explained.executionStats).toMatchObject({ totalDocsExamined: 0 });
    expect(explained.executionStats.totalKeysExamined).toBeLessThanOrEqual(3);
  });

  it('leave no permanent lease when their process dies', async () => {
    const [dead, live, other] = ['jobs/dead', 'jobs/live', 'relay'].map(
      (n) => new Lease(mongo.db, n, { clock, lengthMs: 1000 }),
    );
    await dead!.take();
    await other!.take();
    clock.advance(10);
    await live!.take();
    await removeLeases(mongo.db, 'jobs/', new Date(clock.now()));
    const left = await mongo.db.collection<{ _id: string }>('leases').find().sort({ _id: 1 }).toArray();
    expect(left.map(({ _id }) => _id)).toEqual(['jobs/live', 'relay']);
  });
});
