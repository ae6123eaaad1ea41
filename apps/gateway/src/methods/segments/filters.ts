import type { api } from '@tidings/contract';
import type { Handler } from '../../context.ts';
import { wholeList } from '../whole-list.ts';
import { grantOf } from './grant.ts';
import { withPaths } from './refusals.ts';

export const listFilters: Handler<typeof api.listFilters, 'access' | 'segments'> = async (
  { application },
  context,
  call,
) => {
  const { segments } = context;
  const { account } = call;
  const grant = await grantOf(call, context);
  const filters = await wholeList(
    async (after) => {
      const { filters: entries, next } = await segments.listFilters({ account, grant, application, after });
      return { entries, next };
    },
    ({ name, expression }) => name.length + expression.length,
  );
  return {
    filters: filters.map(({ code, name, expression, application: bound, expiresAt }) => ({
      code,
      name,
      filter_expression: expression,
      expiration_date: expiresAt?.toISOString().slice(0, 10) ?? null,
      application: bound || null,
    })),
  };
};

export const createFilter: Handler<typeof api.createFilter, 'access' | 'segments'> = async (input, context, call) => {
  const request = { account: call.account, grant: await grantOf(call, context), ...input };
  await withPaths({ expression: 'filter_expression' }, context.segments.createFilter(request));
  return { name: input.name };
};

export const deleteFilter: Handler<typeof api.deleteFilter, 'access' | 'segments'> = async (
  { name },
  context,
  call,
) => {
  await context.segments.deleteFilter({ account: call.account, grant: await grantOf(call, context), name });
};

export const compileFilter: Handler<typeof api.compileFilter, 'access' | 'segments'> = async (
  { expression },
  context,
  call,
) => {
  const request = { account: call.account, grant: await grantOf(call, context), expression };
  const { devices } = await withPaths({ expression: 'devices_filter' }, context.segments.count(request));
  return { devices_count: Number(devices) };
};
