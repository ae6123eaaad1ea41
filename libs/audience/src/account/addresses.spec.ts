import { beforeEach, describe, expect, it } from '@jest/globals';
import type { AddressAction, AddressState } from './addresses.ts';
import type { AccountAction } from './decide.ts';
import { AT, app, Accounts, createApplication } from './testing/accounts.ts';

describe('an account', () => {
  let accounts: Accounts;
  beforeEach(() => {
    accounts = new Accounts();
  });

  it('stores suppressed addresses for itself only, with the first time (R-E5)', () => {
    const later = new Date('2026-01-02T00:00:00Z');
    const list: AccountAction = { type: 'blacklistAddress', address: 'hash' };
    const clear: AccountAction = { type: 'clearAddress', address: 'hash' };
    const address = () => accounts.states.get('address a hash') as AddressState;
    expect(() => accounts.do('a', clear)).toThrow('Address is not blacklisted');
    expect(accounts.do('a', list)).toHaveLength(1);
    expect(accounts.do('a', list, later)).toEqual([]);
    expect(address()).toEqual({ kind: 'address', account: 'a', address: 'hash', since: AT });
    expect(() => accounts.do('b', clear)).toThrow('Address is not blacklisted');
    accounts.do('a', clear);
    expect(address()).toEqual({ kind: 'address', account: 'a', address: 'hash' });
    expect(() => accounts.do('a', clear)).toThrow('Address is not blacklisted');
    accounts.do('a', list, later);
    expect(address().since).toEqual(later);
    expect(() => accounts.do('nobody', list)).toThrow('Account not found');
  });

  it('stores complaints of addresses separately from the blacklist (R-E14)', () => {
    const later = new Date('2026-01-02T00:00:00Z');
    const on = (type: AddressAction['type'], at = AT) => accounts.do('a', { type, address: 'hash' }, at);
    const address = () => accounts.states.get('address a hash') as AddressState;
    expect(() => on('clearComplaint')).toThrow('Address has no complaint');
    expect(on('recordComplaint')).toHaveLength(1);
    expect(on('recordComplaint', later)).toEqual([]);
    on('blacklistAddress', later);
    expect(address()).toEqual({ kind: 'address', account: 'a', address: 'hash', since: later, complained: AT });
    on('clearAddress');
    expect(address().complained).toEqual(AT);
    on('blacklistAddress', later);
    on('clearComplaint');
    expect(address()).toEqual({ kind: 'address', account: 'a', address: 'hash', since: later });
    expect(() => on('clearComplaint')).toThrow('Address has no complaint');
    expect(() => accounts.do('nobody', { type: 'recordComplaint', address: 'hash' })).toThrow('Account not found');
  });

  it('allows mail from verified addresses only if an operator requires it (R-A5)', () => {
    accounts.do('a', createApplication());
    const configure = (email_from_email: string, email_reply: string, platform = 14) =>
      accounts.do('a', {
        type: 'configurePlatform',
        application: app,
        platform,
        sealed: {},
        disabled: false,
        settings: { email_from_email, email_from_name: 'News', email_reply },
      });
    expect(configure('a@example.com', 'b@example.com')).toHaveLength(1);
    const required: AccountAction = {
      type: 'setSenders',
      required: true,
      verified: ['A@example.com', 'a@example.com'],
    };
    expect(accounts.do('a', required)[0]!.event).toEqual({
      $case: 'sendersSet',
      value: { required: true, verified: ['a@example.com'] },
    });
    expect(accounts.do('a', required)).toEqual([]);
    expect(() => configure('b@example.com', 'b@example.com')).toThrow('email_from_email: address is not verified');
    expect(() => configure('A@Example.com', 'b@example.com')).toThrow('email_reply: address is not verified');
    expect(configure('A@Example.com', 'a@example.com')).toHaveLength(1);
    expect(configure('b@example.com', 'b@example.com', 18)).toHaveLength(1);
    accounts.do('a', { ...required, required: false });
    expect(configure('b@example.com', 'b@example.com')).toHaveLength(1);
  });
});
