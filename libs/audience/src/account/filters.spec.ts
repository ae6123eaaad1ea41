import { beforeEach, describe, expect, it } from '@jest/globals';
import type { AccountAction } from './decide.ts';
import type { Filter } from './filters.ts';
import { AT, Accounts } from './testing/accounts.ts';
import { DENIED } from './account-view.ts';

describe('an account', () => {
  let accounts: Accounts;
  beforeEach(() => {
    accounts = new Accounts();
  });

  const createFilter = (more: Partial<AccountAction & { type: 'createFilter' }> = {}): AccountAction => ({
    type: 'createFilter',
    code: '52551-F2F42',
    name: 'Regulars',
    text: 'T("Level", EQ, 1)',
    expression: { node: { $case: 'any', value: { of: [] } } },
    nesting: 0,
    application: '',
    expiresAt: undefined,
    ...more,
  });
  const filter = (account = 'a') => accounts.states.get(`filter ${account} Regulars`) as Filter;

  it('keeps a filter under its name, which is free again after the deletion', () => {
    accounts.do('a', createFilter());
    accounts.do('b', createFilter());
    expect(filter()).toMatchObject({ live: true, code: '52551-F2F42', text: 'T("Level", EQ, 1)', createdAt: AT });
    expect(() => accounts.do('a', createFilter({ code: '00000-00000' }))).toThrow('Filter already exists');
    accounts.do('a', { type: 'deleteFilter', name: 'Regulars', code: '52551-F2F42' });
    expect(filter()).toEqual({ kind: 'filter', account: 'a', live: false });
    expect(filter('b').live).toBe(true);
    expect(() => accounts.do('a', { type: 'deleteFilter', name: 'Regulars', code: '52551-F2F42' })).toThrow(
      'Filter not found',
    );
    accounts.do('a', createFilter({ code: '00000-00000' }));
    expect(filter()).toMatchObject({ live: true, code: '00000-00000' });
  });

  it('expires filters on their day, and no sooner', () => {
    const today = new Date('2026-01-01T00:00:00Z');
    const tomorrow = new Date('2026-01-02T00:00:00Z');
    expect(() => accounts.do('a', createFilter({ expiresAt: today }))).toThrow(
      'expiration_date: must be in the future',
    );
    accounts.do('a', createFilter({ expiresAt: tomorrow }));
    const expire: AccountAction = { type: 'expireFilter', name: 'Regulars', code: '52551-F2F42' };
    expect(accounts.do('a', expire)).toEqual([]);
    expect(accounts.do('a', expire, tomorrow)).toHaveLength(1);
    expect(filter().live).toBe(false);
    expect(accounts.do('a', expire, tomorrow)).toEqual([]);
  });

  it('keeps a filter while a preset uses it (R-N1, R-N3)', () => {
    const tomorrow = new Date('2026-01-02T00:00:00Z');
    accounts.do('a', createFilter({ expiresAt: tomorrow }));
    accounts.used.add('52551-F2F42');
    const named = { name: 'Regulars', code: '52551-F2F42' };
    expect(() => accounts.do('a', { type: 'deleteFilter', ...named })).toThrow('Filter is used by a preset');
    expect(accounts.do('a', { type: 'expireFilter', ...named }, tomorrow)).toEqual([]);
    accounts.used.clear();
    expect(accounts.do('a', { type: 'expireFilter', ...named }, tomorrow)).toHaveLength(1);
  });

  it.each([
    [{ name: '' }, 'name: must be 1 to 255 characters'],
    [{ name: 'x'.repeat(256) }, 'name: must be 1 to 255 characters'],
    [{ application: 'BBBBB-00001' }, DENIED],
  ])('refuses the filter %j', (more, text) => expect(() => accounts.do('a', createFilter(more))).toThrow(text));
});
