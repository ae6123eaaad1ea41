import type { api } from '@tidings/contract';
import type { Handler } from '../../context.ts';
import { grantOf } from './grant.ts';

export const compileFilter: Handler<typeof api.compileFilter, 'access' | 'segments'> = async (
  { expression },
  context,
  call,
) => {
  const asked = { account: call.account, grant: await grantOf(call, context), expression, path: 'devices_filter' };
  return { devices_count: Number((await context.segments.count(asked)).devices) };
};
