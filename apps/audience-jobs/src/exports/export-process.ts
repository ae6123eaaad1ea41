import type { JobPartProcessed } from '@tidings/events';
import type { Job } from '@tidings/jobs';
import { type Clock, Fault, randomBase62 } from '@tidings/kernel';
import type { ExportInput, ScannedDevices, Segments, Selection } from '@tidings/rpc';
import type { Archives } from './archives.ts';
import type { Part, Written } from './storage/exports.schema.ts';
import type { Inputs } from './inputs.ts';
import { linesOf } from './lines.ts';
import { pack } from './pack.ts';
import { stretchOf } from './stretches.ts';

export interface ExportDeps {
  readonly clock: Clock;
  readonly inputs: Inputs;
  readonly archives: Archives;
  readonly segments: Pick<Segments, 'chooseLookup' | 'scan'>;
}

const REMEMBERED = 100;
const ATTEMPT_LENGTH = 16;
const NOTHING: Written = { size: 0, packedSize: 0, crc32: 0 };

export function exportProcessor({
  clock,
  inputs,
  archives,
  segments,
}: ExportDeps): (job: Job) => Promise<JobPartProcessed> {
  const lookups = new Map<string, { readonly application: string; readonly lookup: number[] }>();
  const lookupOf = async (job: string, application: string, { expression, now }: Selection): Promise<number[]> => {
    const cached = lookups.get(job);
    if (cached?.application === application) return cached.lookup;
    const { lookup } = await segments.chooseLookup({ application, expression, now });
    lookups.set(job, { application, lookup });
    if (lookups.size > REMEMBERED) lookups.delete(lookups.keys().next().value!);
    return lookup;
  };

  async function* devicesOf(job: Job, { selection, fields }: ExportInput): AsyncIterable<ScannedDevices> {
    if (!selection) throw Fault.bug('an export without a selection');
    const stretch = stretchOf(selection, job.parts);
    if (!stretch) return;
    const { expression, now, tags } = selection;
    const lookup = await lookupOf(job.id, stretch.application, selection);
    yield* segments.scan({
      ...stretch,
      lookup,
      account: job.account,
      expression,
      now,
      fields,
      tags: fields?.tags ? tags : [],
    });
  }

  const count = async (job: Job, input: ExportInput): Promise<number> => {
    let devices = 0;
    for await (const scanned of devicesOf(job, input)) devices += scanned.count;
    return devices;
  };

  const write = async (job: Job, input: ExportInput, fields: NonNullable<ExportInput['fields']>): Promise<Part> => {
    const { id, parts: part, accepted } = job;
    const before = part === 0 ? NOTHING : (await archives.find(id, part - 1))?.written;
    if (!before) throw Fault.bug(`part ${part - 1} of export ${id} is missing`);
    const lines = linesOf(accepted.exportFormat, { fields, tags: input.selection!.tags, escaped: input.escaped });
    const attempt = randomBase62(ATTEMPT_LENGTH);
    const at = new Date(clock.now());
    let devices = 0;
    let blocks = 0;
    async function* texts(): AsyncIterable<string> {
      if (part === 0) yield lines.head;
      for await (const scanned of devicesOf(job, input)) {
        devices += scanned.count;
        yield scanned.devices.map(lines.of).join('');
      }
    }
    const written = await pack(texts(), before, (bytes) =>
      archives.storeBlock({ job: id, part, attempt, block: blocks++ }, bytes, at),
    );
    return archives.finish(id, part, { attempt, blocks, devices, written }, at);
  };

  return async (job) => {
    const input = await inputs.find(job.id);
    if (!input?.selection) throw Fault.bug(`the input of export ${job.id} is missing`);
    const { fields } = input;
    const devices = fields
      ? ((await archives.find(job.id, job.parts)) ?? (await write(job, input, fields))).devices
      : await count(job, input);
    const stretch = stretchOf(input.selection, job.parts);
    const entries = stretch ? stretch.to - stretch.from : 1;
    return { part: job.parts, entries, done: devices, notFound: 0, failed: 0 };
  };
}
