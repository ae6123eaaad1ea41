import type { LogWriter } from '@tidings/event-store';
import { ExportFormat, JobKind } from '@tidings/events';
import type { Job } from '@tidings/jobs';
import { type Clock, Fault } from '@tidings/kernel';
import type { ArchivePlace, Jobs, Segments, Selection } from '@tidings/rpc';
import type { Admission } from '../jobs/job-admission.ts';
import { type JobCommand, logOfJob } from '../jobs/job-log.ts';
import type { JobStore } from '../jobs/job-store.ts';
import type { Archives } from './archives.ts';
import type { Inputs } from './inputs.ts';
import { acceptedIn, archiveOf, fileOf } from '../jobs/export-name.ts';
import { extentOf } from './stretches.ts';
import { type ZippedFile, zipHead, zipSize, zipTail } from './zip.ts';

export interface ExportsDeps {
  readonly clock: Clock;
  readonly inputs: Inputs;
  readonly archives: Archives;
  readonly segments: Pick<Segments, 'select'>;
  readonly admission: Admission;
  readonly store: JobStore;
  readonly writer: LogWriter<JobCommand, Job>;
  readonly accepted: () => void;
}

const READ_BYTES = 512 * 1024;
const BEGINNING: ArchivePlace = { part: 0, block: 0 };

const applicationOf = ({ applications: [only, ...others] }: Selection): string =>
  only && others.length === 0 ? only.code : '';

export function exportsRpc(deps: ExportsDeps): Pick<Jobs, 'acceptExport' | 'findArchives' | 'readArchive'> {
  const { clock, inputs, archives, segments, admission, store, writer } = deps;

  const fileIn = async (job: Job): Promise<ZippedFile> => {
    const last = await archives.find(job.id, job.accepted.parts - 1);
    if (!last) throw Fault.unavailable(`the last part of the archive of ${job.id} is gone`);
    return { name: fileOf(job)!, at: job.acceptedAt, ...last.written };
  };

  return {
    async acceptExport({ job: id, segment, fields, format, escaped }) {
      if (!segment) throw Fault.bug('an export without a segment');
      const at = new Date(clock.now());
      const chosen = await segments.select(segment);
      const open = async (): Promise<void> => {
        const { selection } = await inputs.store(id, { selection: chosen, fields, escaped }, at);
        if (!selection) throw Fault.bug('an export without a selection');
        const { parts, numbers: entries } = extentOf(selection);
        const accepted = {
          kind: JobKind.JOB_KIND_EXPORT,
          application: applicationOf(selection),
          entries,
          parts,
          bytes: 0,
          createMissingTags: false,
          exportFormat: fields ? format : ExportFormat.EXPORT_FORMAT_UNSPECIFIED,
        };
        await writer.submit(logOfJob(id), { id, at, action: { type: 'accept', account: segment.account, accepted } });
      };
      await admission.admit(
        { account: segment.account, application: applicationOf(chosen) },
        { job: id, bytes: 0 },
        open,
      );
      deps.accepted();
      return {};
    },

    async findArchives({ archive }) {
      const second = acceptedIn(archive);
      const jobs = second === undefined ? [] : await store.completedOf(new Date(second * 1000));
      const named = jobs.filter((job) => archiveOf(job) === archive);
      return {
        archives: await Promise.all(
          named.map(async (job) => ({ job: job.id, size: BigInt(zipSize(await fileIn(job))) })),
        ),
      };
    },

    async readArchive({ job: id, from }) {
      const job = await store.find(id);
      if (!job || archiveOf(job) === undefined) throw Fault.notFound('Not Found');
      const file = await fileIn(job);
      const read: Uint8Array[] = from ? [] : [zipHead(file)];
      let bytes = 0;
      for await (const block of archives.read(id, job.accepted.parts, from ?? BEGINNING)) {
        read.push(block.bytes);
        if ((bytes += block.bytes.length) >= READ_BYTES) return { bytes: Buffer.concat(read), next: block.next };
      }
      return { bytes: Buffer.concat([...read, zipTail(file)]), next: undefined };
    },
  };
}
