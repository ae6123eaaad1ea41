import type { api } from '@tidings/contract';
import type { Handler } from '../../context.ts';
import { grantOf } from './grant.ts';
import { withPaths } from './refusals.ts';

export const compileFilter: Handler<typeof api.compileFilter> = async ({ expression }, context, call) => {
  const request = { account: call.account, grant: await grantOf(call, context), expression };
  const { devices } = await withPaths({ expression: 'devices_filter' }, context.segments.count(request));
  return { devices_count: Number(devices) };
};
