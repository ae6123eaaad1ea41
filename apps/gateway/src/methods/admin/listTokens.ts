import type { api } from '@tidings/contract';
import { TokenScope } from '@tidings/rpc';
import type { Handler } from '../../context.ts';
import { rfc3339 } from '../times.ts';

export const listTokens: Handler<typeof api.listTokens> = async (_input, { accounts }) => {
  const { tokens } = await accounts.listTokens({});
  return {
    tokens: tokens.map(({ id, account, scope, allApplications, applications, createdAt, expiresAt, rateLimit }) => ({
      id,
      account,
      scope: scope === TokenScope.TOKEN_SCOPE_DEVICE ? ('device' as const) : ('api' as const),
      applications: allApplications ? ('all' as const) : applications,
      created_at: rfc3339(createdAt),
      expires_at: rfc3339(expiresAt),
      rate_limit: rateLimit ?? null,
    })),
  };
};
