import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { type LogWriter, openLogs } from '@tidings/event-store';
import { ExportFormat, JobKind } from '@tidings/events';
import type { Job, JobAction } from '@tidings/jobs';
import { createCollections } from '@tidings/mongo';
import { type ChooseLookupRequest, ExportInput, ScannedDevice, type ScanRequest } from '@tidings/rpc';
import { describeWithMongo, LONG_TIMEOUT, TestClock, unzipped } from '@tidings/testing';
import { collections } from '../collections.ts';
import { openAdmission } from '../jobs/job-admission.ts';
import { type JobCommand, jobsLog, logOfJob } from '../jobs/job-log.ts';
import { type JobStore, openJobStore } from '../jobs/job-store.ts';
import { type Archives, openArchives } from './archives.ts';
import { type Inputs, openInputs } from './inputs.ts';
import { exportProcessor } from './export-process.ts';
import { exportsRpc } from './exports-rpc.ts';
import { extentOf } from './stretches.ts';

const DAY_S = 86_400;
const application = 'A1B2C-3D4E5';
const fields = { hwid: true, userId: false, pushToken: false, tags: false };
const selection = { applications: [{ code: application, numbers: 10_000 }], now: new Date(0) };

describeWithMongo('exports', (mongo) => {
  const clock = new TestClock();
  let archives: Archives;
  let inputs: Inputs;
  let store: JobStore;
  let writer: LogWriter<JobCommand, Job>;
  let generation: string;
  let jobs = 0;
  let chosen: string[];
  let lookedUp: number[][];

  async function* scan({ from, to, lookup }: ScanRequest) {
    lookedUp.push(lookup);
    const devices = Array.from({ length: to - from }, (_, i) => from + i)
      .filter((number) => number % 2 === 0)
      .map((number) => ScannedDevice.create({ hwid: `${generation}-${number}`, platform: 3 }));
    yield { count: devices.length, devices };
  }
  const say = (id: string, action: JobAction): Promise<Job> =>
    writer.submit(logOfJob(id), { id, action, at: new Date(clock.now()) });
  const accepted = async (): Promise<Job> => {
    const id = `job-${++jobs}`;
    await inputs.store(id, ExportInput.fromPartial({ selection, fields }), new Date(clock.now()));
    const { parts, numbers: entries } = extentOf(selection);
    const facts = { kind: JobKind.JOB_KIND_EXPORT, application, entries, parts, bytes: 0, createMissingTags: false };
    const { EXPORT_FORMAT_CSV: exportFormat } = ExportFormat;
    return say(id, { type: 'accept', account: 'a', accepted: { ...facts, exportFormat } });
  };
  const chooseLookup = async ({ application: code }: ChooseLookupRequest) => {
    chosen.push(code);
    return { lookup: [chosen.length] };
  };
  const processor = () => exportProcessor({ clock, inputs, archives, segments: { chooseLookup, scan } });
  let process: ReturnType<typeof processor>;
  const advanced = async (job: Job): Promise<Job> =>
    say(job.id, { type: 'partProcessed', processed: await process(job) });
  const completed = async (begun: Job): Promise<Job> => {
    let job = begun;
    while (job.status === 'Pending') job = await advanced(job);
    return job;
  };
  const rpc = () => {
    const segments = { select: () => Promise.reject(new Error('not expected here')) };
    const admission = openAdmission(store);
    return exportsRpc({ clock, inputs, archives, segments, admission, store, writer, accepted: () => undefined });
  };
  const downloaded = async (job: string): Promise<Buffer> => {
    const read: Uint8Array[] = [];
    let from: Parameters<Archives['read']>[2] | undefined;
    do {
      const { bytes, next } = await rpc().readArchive({ job, from });
      read.push(bytes);
      from = next;
    } while (from);
    return Buffer.concat(read);
  };

  beforeAll(async () => {
    await createCollections(mongo.db, collections);
    [archives, inputs] = [openArchives(mongo.db), openInputs(mongo.db)];
    store = openJobStore(mongo.db, clock, [archives, inputs]);
    writer = openLogs(mongo.db, jobsLog, { clock, ...LONG_TIMEOUT });
    await writer.applyCommits();
  });
  afterAll(() => writer.close());
  beforeEach(() => {
    generation = 'first';
    [chosen, lookedUp] = [[], []];
    process = processor();
  });

  it('write each device once, part by part', async () => {
    const job = await completed(await accepted());
    expect(job).toMatchObject({ status: 'Completed', parts: 3, entries: 10_000, done: 5_000 });
    const archive = await downloaded(job.id);
    const lines = (await unzipped(archive)).text.split('\r\n').slice(1, -1);
    expect(lines).toEqual(Array.from({ length: 5_000 }, (_, i) => `first-${2 * i},3,Android`));
    const seconds = Math.floor(job.acceptedAt.getTime() / 1000);
    const found = await rpc().findArchives({ archive: `export_segment_${application}_${seconds}.csv.zip` });
    expect(found.archives).toContainEqual({ job: job.id, size: BigInt(archive.length) });
  });

  it('continue from the result of the first of several attempts', async () => {
    const begun = await accepted();
    const second = await advanced(begun);
    // One worker pauses after reading the part, and the other continues.
    const processed = await process(second);
    generation = 'later';
    expect(await process(second)).toEqual(processed);
    const blocks = [Buffer.from('of a dead attempt')];
    await archives.storeBlock({ job: begun.id, part: 2, attempt: 'dead', block: 0 }, blocks[0]!, new Date(clock.now()));
    const late = { attempt: 'dead', blocks: 1, devices: 1, written: { size: 1, packedSize: 1, crc32: 1 } };
    expect(await archives.finish(begun.id, 1, late, new Date(clock.now()))).not.toMatchObject(late);
    const { id } = await completed(second);
    const { text } = await unzipped(await downloaded(id));
    const lines = text.split('\r\n').slice(1, -1);
    expect(lines.map((line) => line.split(/[-,]/)[0])).toEqual(
      Array.from({ length: 5_000 }, (_, i) => (2 * i < 8192 ? 'first' : 'later')),
    );
  });

  it('choose the lookup of an application once, when they reach it', async () => {
    let job = await accepted();
    expect(chosen).toEqual([]);
    job = await advanced(await advanced(job));
    expect([chosen, lookedUp]).toEqual([[application], [[1], [1]]]);
    process = processor();
    expect(await advanced(job)).toMatchObject({ status: 'Completed' });
    expect([chosen, lookedUp[2]]).toEqual([[application, application], [2]]);
  });

  it('are not read before they are complete, or if a part is missing', async () => {
    const begun = await advanced(await accepted());
    await expect(rpc().readArchive({ job: begun.id, from: undefined })).rejects.toMatchObject({ kind: 'notFound' });
    const { id } = await completed(begun);
    await mongo.db.collection<{ _id: string }>('archiveParts').deleteOne({ _id: `${id}/0000000001` });
    await expect(downloaded(id)).rejects.toMatchObject({ kind: 'unavailable' });
  });

  it('are removed 7 days after their end', async () => {
    const { id } = await completed(await accepted());
    clock.advance(7 * DAY_S);
    await store.removeExpired();
    await downloaded(id);
    clock.advance(1);
    await expect(downloaded(id)).rejects.toMatchObject({ kind: 'notFound' });
    await store.removeExpired();
    for (const name of ['archiveParts', 'archiveBlocks', 'exportInputs']) {
      expect(await mongo.db.collection(name).countDocuments()).toBe(0);
    }
  });

  it('are removed if they were never accepted', async () => {
    const at = new Date(clock.now());
    await inputs.store('never', ExportInput.create(), at);
    await archives.storeBlock({ job: 'never', part: 0, attempt: 'dead', block: 0 }, Buffer.from('x'), at);
    clock.advance(31 * DAY_S);
    await store.removeExpired();
    expect(await inputs.find('never')).toBeUndefined();
    expect(await mongo.db.collection('archiveBlocks').countDocuments()).toBe(0);
  });
});
