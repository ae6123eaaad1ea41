import { randomBytes } from 'node:crypto';
import type { api } from '@tidings/contract';
import { ExportFormat, JobKind } from '@tidings/events';
import type { Context, Handler } from '../../context.ts';
import { grantOf } from '../segments/grant.ts';
import { withPaths } from '../segments/refusals.ts';

const paths = { expression: 'filterExpression', filterCode: 'filterCode' } as const;
const formats = { csv: ExportFormat.EXPORT_FORMAT_CSV, json: ExportFormat.EXPORT_FORMAT_JSON } as const;

/** Bits of a task id: the official client reads it as an integer, which JSON keeps exact below 2^53 (R-N7). */
const ID_BITS = 52;

/** The id is random because it is the only secret that the result requires. */
async function newTaskId({ jobs }: Pick<Context, 'jobs'>): Promise<string> {
  const id = String(BigInt.asUintN(ID_BITS, randomBytes(8).readBigUInt64BE()));
  const { job } = await jobs.find({ job: id, kind: JobKind.JOB_KIND_EXPORT, account: '' });
  return job ? newTaskId({ jobs }) : id;
}

export const exportSegment: Handler<typeof api.exportSegment> = async (input, context, call) => {
  const { segment, format, data, isWritten, escaped } = input;
  const job = await newTaskId(context);
  const fields = {
    hwid: data.includes('hwids'),
    userId: data.includes('users'),
    pushToken: data.includes('push_tokens'),
    tags: data.includes('tags'),
  };
  const accepting = context.jobs.acceptExport({
    job,
    segment: { account: call.account, grant: await grantOf(call, context), segment },
    fields: isWritten ? fields : undefined,
    format: formats[format],
    escaped,
  });
  await withPaths(paths, accepting);
  return { task_id: job };
};
