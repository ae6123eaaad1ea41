import { type KeyObject, timingSafeEqual } from 'node:crypto';
import { type AccessToken, DEFAULT_ACCOUNT } from '@tidings/audience';
import { type Clock, Fault } from '@tidings/kernel';
import { type Tokens, TokenScope } from '@tidings/rpc';
import type { AccountStore } from '../accounts/account-store.ts';
import type { AccountWriter } from '../accounts/account-writer.ts';
import type { Buckets } from './buckets.ts';
import { fingerprint, isSecret, newSecret } from './secret.ts';
import { accessScopeOf, tokenView } from './token-view.ts';

const isValidAt = ({ revoked, expiresAt }: AccessToken, now: number): boolean =>
  !revoked && (expiresAt === undefined || expiresAt.getTime() > now);

/** Shown once, when issued; stored as HMACs (R-T1). */
export const tokensRpc = (
  store: AccountStore,
  write: AccountWriter,
  { clock, tokenKey, buckets }: { readonly clock: Clock; readonly tokenKey: KeyObject; readonly buckets: Buckets },
): Tokens => ({
  async issueToken({ account, scope, allApplications, applications, expiresAt }) {
    if (scope === TokenScope.TOKEN_SCOPE_UNSPECIFIED) throw Fault.argument('scope: must be api or device');
    const accessScope = accessScopeOf(scope);
    const secret = newSecret(accessScope);
    const { id, hash } = fingerprint(tokenKey, secret);
    const grant = { scope: accessScope, allApplications, applications, expiresAt };
    const action = { type: 'issueToken', id, hash, ...grant } as const;
    await write({ account: account || DEFAULT_ACCOUNT, action, at: new Date(clock.now()) });
    return { id, secret };
  },

  listTokens: async () => {
    const now = clock.now();
    return { tokens: (await store.liveTokens()).filter((token) => isValidAt(token, now)).map(tokenView) };
  },

  async findToken({ id }) {
    const token = await store.token(id);
    return { token: token && isValidAt(token, clock.now()) ? tokenView(token) : undefined };
  },

  async revokeToken({ id }) {
    const token = await store.token(id);
    if (!token || token.revoked) return { revoked: false };
    await write({ account: token.account, action: { type: 'revokeToken', id }, at: new Date(clock.now()) });
    return { revoked: true };
  },

  async limitToken({ id, rateLimit }) {
    const token = await store.token(id);
    if (!token || token.revoked) return { limited: false };
    await write({ account: token.account, action: { type: 'limitToken', id, rateLimit }, at: new Date(clock.now()) });
    return { limited: true };
  },

  async takeRequests({ id, rateLimit, requested, unused }) {
    return rateLimit ? buckets.take(id, rateLimit, { requested, unused }) : { granted: requested, waitMs: 0 };
  },

  async resolveToken({ secret }) {
    if (!isSecret(secret)) return { token: undefined };
    const { id, hash } = fingerprint(tokenKey, secret);
    const token = await store.token(id);
    const isValid = token !== undefined && isValidAt(token, clock.now()) && timingSafeEqual(token.hash, hash);
    return { token: isValid ? tokenView(token) : undefined };
  },
});
