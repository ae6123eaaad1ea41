import type { api } from '@tidings/contract';
import type { Handler } from '../../context.ts';
import { grantOf } from './grant.ts';

export const createFilter: Handler<typeof api.createFilter> = async (input, { segments }, call) => {
  await segments.createFilter({ account: call.account, grant: grantOf(call), ...input });
  return { name: input.name };
};
