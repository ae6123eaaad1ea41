import type { api } from '@tidings/contract';
import type { Handler } from '../../context.ts';
import { grantOf } from './grant.ts';

export const deleteFilter: Handler<typeof api.deleteFilter, 'access' | 'segments'> = async (
  { name },
  context,
  call,
) => {
  await context.segments.deleteFilter({ account: call.account, grant: await grantOf(call, context), name });
};
