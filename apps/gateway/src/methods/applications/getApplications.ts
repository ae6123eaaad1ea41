import type { api } from '@tidings/contract';
import type { Handler } from '../../context.ts';

/** Fewer applications than these are one page, which is not numbered. */
const UNPAGED = 100;

/** The furthest page that is asked for; further ones are as empty. */
const MAX_PAGE = 2 ** 31 - 1;

export const getApplications: Handler<typeof api.getApplications> = async ({ page }, { accounts }, { credentials }) => {
  const tokenId = credentials?.token.id ?? '';
  const { applications, count, pages } = await accounts.listApplications({ tokenId, page: Math.min(page, MAX_PAGE) });
  return {
    applications: Object.fromEntries(applications.map(({ code, title }) => [code, title])),
    ...(count > UNPAGED ? { page, total: pages } : {}),
  };
};
