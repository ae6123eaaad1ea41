import type { api } from '@tidings/contract';
import type { Handler } from '../../context.ts';

export const listFilters: Handler<typeof api.listFilters> = async ({ application }, { segments }, { account }) => {
  const { filters } = await segments.listFilters({ account, application });
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
