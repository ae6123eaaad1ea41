import { beforeEach, describe, expect, it } from '@jest/globals';
import type { AccountAction } from './decide.ts';
import { AT, app, Accounts, createApplication, issueToken } from './testing/accounts.ts';
import { DENIED } from './account-view.ts';

describe('an account', () => {
  let accounts: Accounts;
  beforeEach(() => {
    accounts = new Accounts();
  });

  it('grants an application to the token that created it (R-T2)', () => {
    accounts.do('a', issueToken());
    accounts.do('a', createApplication({ token: 't1' }));
    expect(accounts.token().applications).toEqual([app]);
    expect(accounts.application()).toMatchObject({ account: 'a', title: 'App', platforms: [] });
    expect(() => accounts.do('a', createApplication())).toThrow('taken');
  });

  it('grants nothing to a token of another account, or a revoked one', () => {
    accounts.do('b', issueToken());
    accounts.do('a', createApplication({ token: 't1' }));
    expect(accounts.token().applications).toEqual([]);
  });

  it('issues tokens for its own applications only', () => {
    accounts.do('a', createApplication());
    expect(() => accounts.do('b', issueToken({ applications: [app] }))).toThrow(DENIED);
    accounts.do('a', issueToken({ applications: [app, app] }));
    expect(accounts.token()).toMatchObject({ applications: [app], revoked: false, createdAt: AT });
  });

  it('limits a live token of its own, and removes the limit (R-LM2)', () => {
    accounts.do('a', issueToken());
    const limit = (requests: number, seconds: number): AccountAction => ({
      type: 'limitToken',
      id: 't1',
      rateLimit: requests === 0 ? undefined : { requests, seconds },
    });
    expect(accounts.do('a', limit(0, 1))).toEqual([]);
    expect(accounts.do('a', limit(5, 1))).toHaveLength(1);
    expect(accounts.do('a', limit(5, 1))).toEqual([]);
    expect(accounts.token().rateLimit).toEqual({ requests: 5, seconds: 1 });
    expect(() => accounts.do('b', limit(1, 1))).toThrow('Token not found');
    accounts.do('a', limit(0, 1));
    expect(accounts.token().rateLimit).toBeUndefined();
    accounts.do('a', { type: 'revokeToken', id: 't1' });
    expect(() => accounts.do('a', limit(5, 1))).toThrow('Token not found');
  });

  it('revokes a token once, and only its own', () => {
    accounts.do('a', issueToken());
    expect(accounts.do('b', { type: 'revokeToken', id: 't1' })).toEqual([]);
    accounts.do('a', { type: 'revokeToken', id: 't1' });
    expect(accounts.token().revoked).toBe(true);
    expect(accounts.do('a', { type: 'revokeToken', id: 't1' })).toEqual([]);
  });

  it('issues tokens that expire', () => {
    const expiresAt = new Date(AT.getTime() + 1);
    accounts.do('a', issueToken({ expiresAt }));
    expect(accounts.token().expiresAt).toEqual(expiresAt);
    expect(() => accounts.do('a', issueToken({ id: 't2', expiresAt: AT }))).toThrow('expires_at: ');
  });
});
