import type { api, OutputOf } from '@tidings/contract';
import { Fault } from '@tidings/kernel';
import { TokenScope, type TokenView } from '@tidings/rpc';
import { rfc3339 } from '../times.ts';

/** A token as operators see it. */
export function shownToken(token: TokenView): OutputOf<typeof api.getToken> {
  const { id, account, scope, allApplications, applications, createdAt, expiresAt, rateLimit } = token;
  return {
    id,
    account,
    scope: scope === TokenScope.TOKEN_SCOPE_DEVICE ? 'device' : 'api',
    applications: allApplications ? 'all' : applications,
    created_at: rfc3339(createdAt),
    expires_at: rfc3339(expiresAt),
    rate_limit: rateLimit ?? null,
  };
}

export const tokenNotFound = (): Fault => Fault.notFound('Token not found');
