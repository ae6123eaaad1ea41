import type { api } from '@tidings/contract';
import type { Handler } from '../../context.ts';
import { grantOf } from './grant.ts';

export const deleteFilter: Handler<typeof api.deleteFilter> = async ({ name }, { segments }, call) => {
  await segments.deleteFilter({ account: call.account, grant: grantOf(call), name });
};
