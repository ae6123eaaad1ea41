import { describe, expect, it } from '@jest/globals';
import type { Expression } from '@tidings/events';
import type { FilterCreated } from '@tidings/events/generated/tidings/events/v1/accounts';
import type { AccountAction } from './decide.ts';
import { AT, event, given, happened, inAccount } from './testing/accounts.ts';
import { DENIED } from './account-view.ts';

const code = '52551-F2F42';
const named = { name: 'Regulars', code };
const expression: Expression = { node: { $case: 'any', value: { of: [] } } };
const filter = {
  ...named,
  text: 'T("Level", EQ, 1)',
  expression,
  nesting: 0,
  application: '',
  expiresAt: undefined,
};
const createFilter = (more: Partial<AccountAction & { type: 'createFilter' }> = {}): AccountAction => ({
  type: 'createFilter',
  ...filter,
  ...more,
});
const created = (more: Partial<FilterCreated> = {}) => event('filterCreated', { ...filter, ...more });
const deleted = event('filterDeleted', { name: 'Regulars', application: '' });
const tomorrow = new Date('2026-01-02T00:00:00Z');

describe('an account', () => {
  it('keeps a filter under its name, which is free again after the deletion', () => {
    const remove = { type: 'deleteFilter', ...named } as const;
    const other = '00000-00000';
    const inBoth = [created(), inAccount('b', created())];
    given().when(createFilter()).then(created());
    given(created()).when(createFilter(), { account: 'b' }).then(inAccount('b', created()));
    const before = given(...inBoth);
    expect(before.state('filter', 'Regulars')).toMatchObject({
      live: true,
      code,
      text: 'T("Level", EQ, 1)',
      createdAt: AT,
    });
    before.when(createFilter({ code: other })).thenRefused('Filter already exists');
    before.when({ ...remove, code: other }).thenRefused('Filter not found');
    before.when(remove).then(deleted);
    const after = given(...inBoth, deleted);
    expect(after.state('filter', 'Regulars')).toEqual({ kind: 'filter', account: 'a', live: false });
    expect(after.state('filter', 'Regulars', 'b')?.live).toBe(true);
    after.when(remove).thenRefused('Filter not found');
    after.when(createFilter({ code: other })).then(created({ code: other }));
    const again = given(...inBoth, deleted, created({ code: other }));
    expect(again.state('filter', 'Regulars')).toMatchObject({ live: true, code: other });
  });

  it('expires filters on their day, and no sooner', () => {
    const today = new Date('2026-01-01T00:00:00Z');
    const expire: AccountAction = { type: 'expireFilter', ...named };
    const expired = happened(tomorrow, deleted);
    given()
      .when(createFilter({ expiresAt: today }))
      .thenRefused('expiration_date: must be in the future');
    given()
      .when(createFilter({ expiresAt: tomorrow }))
      .then(created({ expiresAt: tomorrow }));
    const before = given(created({ expiresAt: tomorrow }));
    before.when(expire).then();
    before.when(expire, { at: tomorrow }).then(expired);
    const after = given(created({ expiresAt: tomorrow }), expired);
    expect(after.state('filter', 'Regulars')?.live).toBe(false);
    after.when(expire, { at: tomorrow }).then();
  });

  it('keeps a filter while a preset uses it (R-N1, R-N3)', () => {
    const before = given(created({ expiresAt: tomorrow }));
    const used = [code];
    before.when({ type: 'deleteFilter', ...named }, { used }).thenRefused('Filter is used by a preset');
    before.when({ type: 'expireFilter', ...named }, { used, at: tomorrow }).then();
    before.when({ type: 'expireFilter', ...named }, { at: tomorrow }).then(happened(tomorrow, deleted));
  });

  it.each([
    [{ name: '' }, 'name: must be 1 to 255 characters'],
    [{ name: 'x'.repeat(256) }, 'name: must be 1 to 255 characters'],
    [{ application: 'BBBBB-00001' }, DENIED],
  ])('refuses the filter %j', (more, text) => given().when(createFilter(more)).thenRefused(text));
});
