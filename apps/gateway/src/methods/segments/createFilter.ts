import type { api } from '@tidings/contract';
import type { Handler } from '../../context.ts';
import { grantOf } from './grant.ts';
import { withPaths } from './refusals.ts';

export const createFilter: Handler<typeof api.createFilter> = async (input, context, call) => {
  const request = { account: call.account, grant: await grantOf(call, context), ...input };
  await withPaths({ expression: 'filter_expression' }, context.segments.createFilter(request));
  return { name: input.name };
};
