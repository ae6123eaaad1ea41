import type { api } from '@tidings/contract';
import { TokenScope } from '@tidings/rpc';
import type { Handler } from '../../context.ts';

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
