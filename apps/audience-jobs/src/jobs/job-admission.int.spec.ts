import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { MAX_OPEN_JOBS, MAX_OPEN_MEBIBYTES } from '@tidings/contract';
import { type LogWriter, openLogs } from '@tidings/event-store';
import { ExportFormat, JobKind } from '@tidings/events';
import type { Job } from '@tidings/jobs';
import { Fault } from '@tidings/kernel';
import { createCollections } from '@tidings/mongo';
import { SelectRequest, Selection } from '@tidings/rpc';
import { describeWithMongo, LONG_TIMEOUT, TestClock } from '@tidings/testing';
import { collections } from '../collections.ts';
import { openArchives } from '../exports/archives.ts';
import { type Inputs, openInputs } from '../exports/inputs.ts';
import { exportsRpc } from '../exports/exports-rpc.ts';
import { openAdmission } from './job-admission.ts';
import { type JobCommand, jobsLog, logOfJob } from './job-log.ts';
import { openJobParts, type JobParts } from './job-parts.ts';
import { jobsRpc } from './jobs-rpc.ts';
import { type JobStore, openJobStore } from './job-store.ts';
import { unacceptedParts } from './unaccepted-parts.ts';

const MEBIBYTE = 1024 * 1024;
const account = 'a';
const accepted = { kind: JobKind.JOB_KIND_SET_TAGS, entries: 1, parts: 1, bytes: 1, createMissingTags: false };

describeWithMongo('open jobs of an application', (mongo) => {
  const clock = new TestClock();
  let applications = 0;
  let application: string;
  let parts: JobParts;
  let inputs: Inputs;
  let jobs: JobStore;
  let writer: LogWriter<JobCommand, Job>;
  let rpc: ReturnType<typeof jobsRpc> & Pick<ReturnType<typeof exportsRpc>, 'acceptExport'>;
  let selected: string[];

  const store = (job: string, of = application) =>
    rpc.storePart({ job, number: 0, part: { entries: [] }, account, application: of });
  const start = async (job: string, { of = application, bytes = 1 } = {}): Promise<void> => {
    const { EXPORT_FORMAT_UNSPECIFIED: exportFormat } = ExportFormat;
    await rpc.accept({ job, account, accepted: { ...accepted, application: of, bytes, exportFormat } });
  };
  const startExport = (job: string, ...of: string[]) => {
    selected = of;
    const segment = SelectRequest.fromPartial({ account });
    return rpc.acceptExport({
      job,
      segment,
      fields: undefined,
      format: ExportFormat.EXPORT_FORMAT_CSV,
      escaped: false,
    });
  };
  const fill = async (from: number, to: number): Promise<void> => {
    const { EXPORT_FORMAT_UNSPECIFIED: exportFormat } = ExportFormat;
    const at = new Date(clock.now());
    const action = { type: 'accept', account, accepted: { ...accepted, application, exportFormat } } as const;
    const ids = Array.from({ length: to - from }, (_, i) => `${application}-${from + i}`);
    await Promise.all(ids.map((id) => writer.submit(logOfJob(id), { id, at, action })));
  };
  const end = async (job: string): Promise<void> => {
    const processed = { part: 0, entries: 1, done: 1, notFound: 0, failed: 0 };
    const action = { type: 'partProcessed', processed } as const;
    await writer.submit(logOfJob(job), { id: job, at: new Date(clock.now()), action });
  };
  const tooMany = Fault.throttled(`application: at most ${MAX_OPEN_JOBS} jobs may be open`, 5);
  const refused = (fault: Fault) => expect.objectContaining({ ...fault, message: fault.message }) as unknown;

  beforeAll(async () => {
    const { db } = mongo;
    await createCollections(db, collections);
    const archives = openArchives(db);
    [parts, inputs] = [openJobParts(db), openInputs(db)];
    jobs = openJobStore(db, clock, [parts, inputs]);
    writer = openLogs(db, jobsLog, { clock, ...LONG_TIMEOUT });
    await writer.applyCommits();
    const deps = { clock, admission: openAdmission(jobs), store: jobs, writer, accepted: () => undefined };
    const select = async () =>
      Selection.fromPartial({ now: new Date(0), applications: selected.map((code) => ({ code, numbers: 1 })) });
    const { acceptExport } = exportsRpc({ ...deps, inputs, archives, segments: { select } });
    rpc = { ...jobsRpc({ ...deps, parts }), acceptExport };
  });
  afterAll(() => writer.close());
  beforeEach(() => {
    application = `app-${++applications}`;
  });

  it('are limited, also if several processes start them at once', async () => {
    await fill(0, MAX_OPEN_JOBS - 5);
    const ids = Array.from({ length: 25 }, (_, i) => `${application}-at-once-${i}`);
    const results = await Promise.allSettled(ids.map((id) => start(id)));
    const reasons = results.flatMap((result) => (result.status === 'rejected' ? [result.reason as unknown] : []));
    expect(reasons).toEqual(Array.from({ length: 20 }, () => refused(tooMany)));
  });

  it('make room when one ends, and take none of other applications', async () => {
    await fill(0, MAX_OPEN_JOBS);
    await expect(start('one-more')).rejects.toThrow(tooMany);
    await start('of-another', { of: `${application}-other` });
    await end(`${application}-7`);
    await start('one-more');
    await expect(start('and-another')).rejects.toThrow(tooMany);
  });

  it('are accepted again after a lost answer, and leave no data if refused', async () => {
    await fill(0, MAX_OPEN_JOBS - 1);
    await store('late');
    await fill(MAX_OPEN_JOBS - 1, MAX_OPEN_JOBS);
    await start(`${application}-0`);
    // A repeat of a completed job is not refused either.
    await end(`${application}-0`);
    await fill(MAX_OPEN_JOBS, MAX_OPEN_JOBS + 1);
    await start(`${application}-0`);
    await expect(start('late')).rejects.toThrow(tooMany);
    expect(await parts.find('late', 0)).toBeUndefined();
    await expect(store('later')).rejects.toThrow(tooMany);
    expect(await parts.find('later', 0)).toBeUndefined();
    await expect(startExport('export', application)).rejects.toThrow(tooMany);
    expect(await inputs.find('export')).toBeUndefined();
  });

  it('leave no parts of a request that is refused during its upload', async () => {
    await fill(0, MAX_OPEN_JOBS - 1);
    await store('uploading');
    await store('other-upload');
    await fill(MAX_OPEN_JOBS - 1, MAX_OPEN_JOBS);
    const next = rpc.storePart({ job: 'uploading', number: 1, part: { entries: [] }, account, application });
    await expect(next).rejects.toThrow(tooMany);
    expect(await parts.find('uploading', 0)).toBeUndefined();
    expect(await parts.find('other-upload', 0)).toBeDefined();
    // A repeat of a part whose answer was lost is not refused once its job is open.
    await store(`${application}-0`);
    expect(await parts.find(`${application}-0`, 0)).toBeDefined();
  });

  it('leave no parts, after an hour, of a request that ended before its job was accepted', async () => {
    const removeUnaccepted = unacceptedParts({ clock, parts, store: jobs });
    await store('ended');
    await store('accepted');
    await start('accepted');
    clock.advance(3600);
    await store('recent');
    await removeUnaccepted();
    expect(await parts.find('ended', 0)).toBeDefined();
    clock.advance(1);
    await removeUnaccepted();
    expect(await parts.find('ended', 0)).toBeUndefined();
    expect(await parts.find('accepted', 0)).toBeDefined();
    expect(await parts.find('recent', 0)).toBeDefined();
  });

  it('are limited by the size of their devices', async () => {
    const half = (MAX_OPEN_MEBIBYTES / 2) * MEBIBYTE;
    await start(`${application}-0`, { bytes: half });
    await start(`${application}-1`, { bytes: half - 1 });
    // A job is admitted as a whole: the last one may exceed the limit.
    await start(`${application}-2`, { bytes: half });
    const text = `application: the devices of open jobs may take at most ${MAX_OPEN_MEBIBYTES} MiB`;
    await expect(start(`${application}-3`)).rejects.toThrow(Fault.throttled(text, 5));
    await end(`${application}-0`);
    await end(`${application}-1`);
    await start(`${application}-3`);
  });

  it('are counted separately from exports of several applications, which are limited per account', async () => {
    await fill(0, MAX_OPEN_JOBS);
    await startExport('all-of-them', application, 'other');
    application = '';
    await fill(1, MAX_OPEN_JOBS);
    const text = `account: at most ${MAX_OPEN_JOBS} exports of several applications may be open`;
    await expect(startExport('all', 'one', 'other')).rejects.toThrow(Fault.throttled(text, 5));
  });
});
