import type { AccessToken } from '@tidings/audience';
import { AccessScope } from '@tidings/events/generated/tidings/events/v1/accounts';
import type { Versioned } from '@tidings/registry-store';
import { TokenScope, type TokenView } from '@tidings/rpc';

const scopes: Readonly<Record<AccessScope, TokenScope>> = {
  [AccessScope.ACCESS_SCOPE_UNSPECIFIED]: TokenScope.TOKEN_SCOPE_UNSPECIFIED,
  [AccessScope.ACCESS_SCOPE_API]: TokenScope.TOKEN_SCOPE_API,
  [AccessScope.ACCESS_SCOPE_DEVICE]: TokenScope.TOKEN_SCOPE_DEVICE,
};

const accessScopes: Readonly<Record<TokenScope, AccessScope>> = {
  [TokenScope.TOKEN_SCOPE_UNSPECIFIED]: AccessScope.ACCESS_SCOPE_UNSPECIFIED,
  [TokenScope.TOKEN_SCOPE_API]: AccessScope.ACCESS_SCOPE_API,
  [TokenScope.TOKEN_SCOPE_DEVICE]: AccessScope.ACCESS_SCOPE_DEVICE,
};

export const accessScopeOf = (scope: TokenScope): AccessScope => accessScopes[scope];

export const tokenView = (token: Versioned<AccessToken>): TokenView => ({
  id: token.id,
  account: token.account,
  scope: token.revoked ? TokenScope.TOKEN_SCOPE_UNSPECIFIED : scopes[token.scope],
  allApplications: token.allApplications && !token.revoked,
  applications: token.revoked ? [] : [...token.applications],
  createdAt: token.createdAt,
  version: BigInt(token.rev),
  revoked: token.revoked,
  expiresAt: token.expiresAt,
  rateLimit: token.rateLimit && { ...token.rateLimit },
});
