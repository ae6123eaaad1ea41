import { randomUUID } from 'node:crypto';
import type { api } from '@tidings/contract';
import { ExportFormat } from '@tidings/events';
import type { Handler } from '../../context.ts';
import { grantOf } from '../segments/grant.ts';

const formats = { csv: ExportFormat.EXPORT_FORMAT_CSV, json: ExportFormat.EXPORT_FORMAT_JSON } as const;

export const exportSegment: Handler<typeof api.exportSegment> = async (input, context, call) => {
  const { segment, path, format, data, isWritten } = input;
  const job = randomUUID();
  const fields = {
    hwid: data.includes('hwids'),
    userId: data.includes('users'),
    pushToken: data.includes('push_tokens'),
    tags: data.includes('tags'),
  };
  await context.jobs.acceptExport({
    job,
    segment: { account: call.account, grant: await grantOf(call, context), segment, path },
    fields: isWritten ? fields : undefined,
    format: formats[format],
  });
  return { task_id: job };
};
