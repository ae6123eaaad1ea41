import type { api, OutputOf } from '@tidings/contract';
import { Fault } from '@tidings/kernel';
import { TokenScope, type TokenView } from '@tidings/rpc';
import type { Handler } from '../../context.ts';
import { rfc3339 } from '../times.ts';

function shownToken(token: TokenView): OutputOf<typeof api.getToken> {
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

const tokenNotFound = (): Fault => Fault.notFound('Token not found');

export const createToken: Handler<typeof api.createToken, 'tokens'> = async (input, { tokens }) => {
  const { scope, applications, account, expiresAt } = input;
  const { id, secret } = await tokens.issueToken({
    account: account ?? '',
    scope: scope === 'api' ? TokenScope.TOKEN_SCOPE_API : TokenScope.TOKEN_SCOPE_DEVICE,
    allApplications: applications === 'all',
    applications: applications === 'all' ? [] : applications,
    expiresAt,
  });
  return { id, token: secret };
};

export const getToken: Handler<typeof api.getToken, 'tokens'> = async ({ id }, { tokens }) => {
  const { token } = await tokens.findToken({ id });
  if (!token) throw tokenNotFound();
  return shownToken(token);
};

export const listTokens: Handler<typeof api.listTokens, 'tokens'> = async (_input, context) => {
  const { tokens } = await context.tokens.listTokens({});
  return { tokens: tokens.map(shownToken) };
};

export const deleteToken: Handler<typeof api.deleteToken, 'tokens'> = async ({ id }, { tokens }) => {
  const { revoked } = await tokens.revokeToken({ id });
  if (!revoked) throw tokenNotFound();
};

export const setRateLimit: Handler<typeof api.setRateLimit, 'tokens'> = async (
  { id, requests, seconds },
  { tokens },
) => {
  const { limited } = await tokens.limitToken({ id, rateLimit: requests === 0 ? undefined : { requests, seconds } });
  if (!limited) throw tokenNotFound();
  return { requests, seconds };
};
