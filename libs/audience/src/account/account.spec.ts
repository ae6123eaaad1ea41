import { beforeEach, describe, expect, it } from '@jest/globals';
import { Preset } from '@tidings/events';
import type { AccountAction } from './decide.ts';
import { app, Accounts, createApplication } from './testing/accounts.ts';
import { DENIED } from './account-view.ts';

describe('an account', () => {
  let accounts: Accounts;
  beforeEach(() => {
    accounts = new Accounts();
  });

  it('is created once', () => {
    expect(accounts.do('a', { type: 'createAccount', name: 'again' })).toEqual([]);
    expect(() => accounts.do('nobody', createApplication())).toThrow('Account not found');
  });

  it('has a plan', () => {
    const set = (emailOnly: boolean): AccountAction => ({ type: 'setPlan', emailOnly });
    expect(accounts.do('a', set(false))).toEqual([]);
    expect(accounts.do('a', set(true))).toHaveLength(1);
    expect(accounts.do('a', set(true))).toEqual([]);
    expect(accounts.states.get('account a')).toMatchObject({ name: 'A', emailOnly: true });
    expect(() => accounts.do('nobody', set(true))).toThrow('Account not found');
  });

  it('groups applications of its own (R-I2)', () => {
    accounts.do('a', createApplication());
    const group = { type: 'createGroup', code: 'g', name: 'Europe', applications: [app, app] } as const;
    expect(() => accounts.do('b', group)).toThrow(DENIED);
    expect(() => accounts.do('a', { ...group, applications: [] })).toThrow('applications: must not be empty');
    accounts.do('a', group);
    expect(accounts.states.get('group g')).toMatchObject({ account: 'a', name: 'Europe', applications: [app] });
    expect(() => accounts.do('a', group)).toThrow('taken');
  });

  it('creates presets for its own applications and groups only (Spec K)', () => {
    accounts.do('a', createApplication());
    accounts.do('a', { type: 'createGroup', code: 'g', name: 'Europe', applications: [app] });
    const create = (of: Partial<Preset>): AccountAction => ({
      type: 'createPreset',
      preset: Preset.fromPartial({ code: 'p', name: 'P', ...of }),
    });
    for (const [account, of] of [
      ['b', { application: app }],
      ['b', { group: 'g' }],
      ['a', { group: 'h' }],
      ['a', {}],
    ] as const) {
      expect(() => accounts.do(account, create(of))).toThrow(DENIED);
    }
    expect(accounts.do('a', create({ group: 'g' }))).toHaveLength(1);
  });

  it('replaces its categories of e-mail (R-E13)', () => {
    const set = (...categories: string[]): AccountAction => ({ type: 'setCategories', categories });
    accounts.do('a', set('News', 'Offers', 'News'));
    expect(accounts.states.get('account a')).toMatchObject({ categories: ['News', 'Offers'] });
    expect(accounts.do('a', set('News', 'Offers'))).toEqual([]);
    expect(accounts.do('a', set('Offers', 'News'))).toHaveLength(1);
    expect(() => accounts.do('a', set(''))).toThrow('categories: ');
  });
});
