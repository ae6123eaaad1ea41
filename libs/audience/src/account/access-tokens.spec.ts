import { describe, expect, it } from '@jest/globals';
import type { AccountAction } from './decide.ts';
import {
  AT,
  app,
  applicationCreated,
  createApplication,
  event,
  given,
  inAccount,
  issueToken,
  tokenIssued,
} from './testing/accounts.ts';
import { DENIED } from './account-view.ts';

const tokenRevoked = event('tokenRevoked', { token: 't1' });
const tokenLimited = (requests: number, seconds: number) => event('tokenLimited', { token: 't1', requests, seconds });

describe('an account', () => {
  it('grants an application to the token that created it (R-T2)', () => {
    const created = applicationCreated({ token: 't1' });
    given(tokenIssued())
      .when(createApplication({ token: 't1' }))
      .then(created);
    const after = given(tokenIssued(), created);
    expect(after.token().applications).toEqual([app]);
    expect(after.application()).toMatchObject({ account: 'a', title: 'App', platforms: [] });
    after.when(createApplication()).thenRefused('taken');
  });

  it('grants nothing to a token of another account, or a revoked one', () => {
    const ofOther = inAccount('b', tokenIssued());
    given(ofOther)
      .when(createApplication({ token: 't1' }))
      .then(applicationCreated());
    expect(given(ofOther, applicationCreated()).token().applications).toEqual([]);
    given(tokenIssued(), tokenRevoked)
      .when(createApplication({ token: 't1' }))
      .then(applicationCreated());
  });

  it('issues tokens for its own applications only', () => {
    const issued = tokenIssued({ applications: [app] });
    given(applicationCreated())
      .when(issueToken({ applications: [app] }), { account: 'b' })
      .thenRefused(DENIED);
    given(applicationCreated())
      .when(issueToken({ applications: [app, app] }))
      .then(issued);
    expect(given(applicationCreated(), issued).token()).toMatchObject({
      applications: [app],
      revoked: false,
      createdAt: AT,
    });
  });

  it('limits a live token of its own, and removes the limit (R-LM2)', () => {
    const limit = (requests: number, seconds: number): AccountAction => ({
      type: 'limitToken',
      id: 't1',
      rateLimit: requests === 0 ? undefined : { requests, seconds },
    });
    given(tokenIssued()).when(limit(0, 1)).then();
    given(tokenIssued()).when(limit(5, 1)).then(tokenLimited(5, 1));
    const limited = given(tokenIssued(), tokenLimited(5, 1));
    limited.when(limit(5, 1)).then();
    expect(limited.token().rateLimit).toEqual({ requests: 5, seconds: 1 });
    limited.when(limit(1, 1), { account: 'b' }).thenRefused('Token not found');
    limited.when(limit(0, 1)).then(tokenLimited(0, 0));
    expect(given(tokenIssued(), tokenLimited(5, 1), tokenLimited(0, 0)).token().rateLimit).toBeUndefined();
    given(tokenIssued(), tokenRevoked).when(limit(5, 1)).thenRefused('Token not found');
  });

  it('revokes a token once, and only its own', () => {
    const revoke: AccountAction = { type: 'revokeToken', id: 't1' };
    given(tokenIssued()).when(revoke, { account: 'b' }).then();
    given(tokenIssued()).when(revoke).then(tokenRevoked);
    const revoked = given(tokenIssued(), tokenRevoked);
    expect(revoked.token().revoked).toBe(true);
    revoked.when(revoke).then();
  });

  it('issues tokens that expire', () => {
    const expiresAt = new Date(AT.getTime() + 1);
    given().when(issueToken({ expiresAt })).then(tokenIssued({ expiresAt }));
    expect(given(tokenIssued({ expiresAt })).token().expiresAt).toEqual(expiresAt);
    given()
      .when(issueToken({ expiresAt: AT }))
      .thenRefused('expires_at: ');
  });
});
