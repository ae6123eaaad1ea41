import type { api } from '@tidings/contract';
import type { Handler } from '../../context.ts';

const UNPAGED = 100;

const MAX_PAGE = 2 ** 31 - 1;

export const getApplications: Handler<typeof api.getApplications, 'applications'> = async (
  { page },
  context,
  { credentials },
) => {
  const tokenId = credentials?.token.id ?? '';
  const { applications, count, pages } = await context.applications.listApplications({
    tokenId,
    page: Math.min(page, MAX_PAGE),
  });
  return {
    applications: Object.fromEntries(applications.map(({ code, title }) => [code, title])),
    ...(count > UNPAGED ? { page, total: pages } : {}),
  };
};
