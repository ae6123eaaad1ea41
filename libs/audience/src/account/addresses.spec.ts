import { describe, expect, it } from '@jest/globals';
import type { AddressAction } from './addresses.ts';
import type { AccountAction } from './decide.ts';
import { AT, app, applicationCreated, event, given, happened } from './testing/accounts.ts';

const later = new Date('2026-01-02T00:00:00Z');
const of = (type: AddressAction['type']): AccountAction => ({ type, address: 'hash' });
const blacklisted = event('addressBlacklisted', { address: 'hash' });
const cleared = event('addressCleared', { address: 'hash' });
const complained = event('addressComplained', { address: 'hash' });
const complaintCleared = event('complaintCleared', { address: 'hash' });
const address = { kind: 'address', account: 'a', address: 'hash' };

describe('an account', () => {
  it('stores suppressed addresses for itself only, with the first time (R-E5)', () => {
    const [list, clear] = [of('blacklistAddress'), of('clearAddress')];
    given().when(clear).thenRefused('Address is not blacklisted');
    given().when(list).then(blacklisted);
    const listed = given(blacklisted);
    listed.when(list, { at: later }).then();
    expect(listed.state('address', 'hash')).toEqual({ ...address, since: AT });
    listed.when(clear, { account: 'b' }).thenRefused('Address is not blacklisted');
    listed.when(clear).then(cleared);
    const again = given(blacklisted, cleared);
    expect(again.state('address', 'hash')).toEqual(address);
    again.when(clear).thenRefused('Address is not blacklisted');
    again.when(list, { at: later }).then(happened(later, blacklisted));
    const since = given(blacklisted, cleared, happened(later, blacklisted)).state('address', 'hash')?.since;
    expect(since).toEqual(later);
    given().when(list, { account: 'nobody' }).thenRefused('Account not found');
  });

  it('stores complaints of addresses separately from the blacklist (R-E14)', () => {
    const [record, clear] = [of('recordComplaint'), of('clearComplaint')];
    given().when(clear).thenRefused('Address has no complaint');
    given().when(record).then(complained);
    given(complained).when(record, { at: later }).then();
    const listed = happened(later, blacklisted);
    given(complained).when(of('blacklistAddress'), { at: later }).then(listed);
    const both = given(complained, listed);
    expect(both.state('address', 'hash')).toEqual({ ...address, since: later, complained: AT });
    both.when(of('clearAddress')).then(cleared);
    const unlisted = given(complained, listed, cleared);
    expect(unlisted.state('address', 'hash')?.complained).toEqual(AT);
    unlisted.when(of('blacklistAddress'), { at: later }).then(listed);
    given(complained, listed, cleared, listed).when(clear).then(complaintCleared);
    const after = given(complained, listed, cleared, listed, complaintCleared);
    expect(after.state('address', 'hash')).toEqual({ ...address, since: later });
    after.when(clear).thenRefused('Address has no complaint');
    given().when(record, { account: 'nobody' }).thenRefused('Account not found');
  });

  it('allows mail from verified addresses only if an operator requires it (R-A5)', () => {
    const configured = (email_from_email: string, email_reply: string, platform = 14) => {
      const settings = { email_from_email, email_from_name: 'News', email_reply };
      const of = { application: app, platform, settings, sealed: {}, disabled: false };
      return {
        action: { type: 'configurePlatform', ...of } satisfies AccountAction,
        event: event('platformConfigured', { ...of, credentialVersion: 1 }),
      };
    };
    const verified = ['a@example.com'];
    const required: AccountAction = { type: 'setSenders', required: true, verified: ['A@example.com', ...verified] };
    const requiredSet = event('sendersSet', { required: true, verified });
    const unrequiredSet = event('sendersSet', { required: false, verified });
    const unrestricted = given(applicationCreated());
    const first = configured('a@example.com', 'b@example.com');
    unrestricted.when(first.action).then(first.event);
    unrestricted.when(required).then(requiredSet);
    const restricted = given(applicationCreated(), requiredSet);
    restricted.when(required).then();
    restricted
      .when(configured('b@example.com', 'b@example.com').action)
      .thenRefused('email_from_email: address is not verified');
    restricted
      .when(configured('A@Example.com', 'b@example.com').action)
      .thenRefused('email_reply: address is not verified');
    for (const { action, event: expected } of [
      configured('A@Example.com', 'a@example.com'),
      configured('b@example.com', 'b@example.com', 18),
    ]) {
      restricted.when(action).then(expected);
    }
    restricted.when({ ...required, required: false }).then(unrequiredSet);
    const last = configured('b@example.com', 'b@example.com');
    given(applicationCreated(), requiredSet, unrequiredSet).when(last.action).then(last.event);
  });
});
