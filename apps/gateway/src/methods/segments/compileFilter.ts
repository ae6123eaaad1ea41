import type { api } from '@tidings/contract';
import type { Handler } from '../../context.ts';
import { grantOf } from './grant.ts';

export const compileFilter: Handler<typeof api.compileFilter> = async ({ expression }, { segments }, call) => {
  const asked = { account: call.account, grant: grantOf(call), expression, path: 'devices_filter' };
  return { devices_count: Number((await segments.count(asked)).devices) };
};
