import type { api } from '@tidings/contract';
import type { Handler } from '../../context.ts';
import { grantOf } from './grant.ts';

export const createFilter: Handler<typeof api.createFilter, 'access' | 'segments'> = async (input, context, call) => {
  await context.segments.createFilter({ account: call.account, grant: await grantOf(call, context), ...input });
  return { name: input.name };
};
