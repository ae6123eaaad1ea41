import type { api } from '@tidings/contract';
import type { Handler } from '../../context.ts';

/** Up to this number there is one page, without a number. */
const UNPAGED = 100;

/** All further pages are empty as well. */
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
