import { describe, expect, it } from '@jest/globals';
import { Preset } from '@tidings/events';
import type { AccountAction } from './decide.ts';
import { app, applicationCreated, createApplication, event, given, inAccount } from './testing/accounts.ts';
import { DENIED } from './account-view.ts';

const groupCreated = event('groupCreated', { group: 'g', name: 'Europe', applications: [app] });
const planSet = (emailOnly: boolean) => event('planSet', { emailOnly });
const categoriesSet = (...categories: string[]) => event('categoriesSet', { categories });

describe('an account', () => {
  it('is created once', () => {
    given().when({ type: 'createAccount', name: 'again' }).then();
    given()
      .when({ type: 'createAccount', name: 'C' }, { account: 'c' })
      .then(inAccount('c', event('created', { name: 'C' })));
    given().when(createApplication(), { account: 'nobody' }).thenRefused('Account not found');
  });

  it('has a plan', () => {
    const set = (emailOnly: boolean): AccountAction => ({ type: 'setPlan', emailOnly });
    given().when(set(false)).then();
    given().when(set(true)).then(planSet(true));
    given(planSet(true)).when(set(true)).then();
    expect(given(planSet(true)).state('account')).toMatchObject({ name: 'A', emailOnly: true });
    given().when(set(true), { account: 'nobody' }).thenRefused('Account not found');
  });

  it('groups applications of its own (R-I2)', () => {
    const group = { type: 'createGroup', code: 'g', name: 'Europe', applications: [app, app] } as const;
    const before = given(applicationCreated());
    before.when(group, { account: 'b' }).thenRefused(DENIED);
    before.when({ ...group, applications: [] }).thenRefused('applications: must not be empty');
    before.when(group).then(groupCreated);
    const after = given(applicationCreated(), groupCreated);
    expect(after.state('group', 'g')).toMatchObject({ account: 'a', name: 'Europe', applications: [app] });
    after.when(group).thenRefused('taken');
  });

  it('creates presets for its own applications and groups only (Spec K)', () => {
    const presetOf = (of: Partial<Preset>) => Preset.fromPartial({ code: 'p', name: 'P', ...of });
    const create = (of: Partial<Preset>): AccountAction => ({ type: 'createPreset', preset: presetOf(of) });
    const existing = given(applicationCreated(), groupCreated);
    for (const [account, of] of [
      ['b', { application: app }],
      ['b', { group: 'g' }],
      ['a', { group: 'h' }],
      ['a', {}],
    ] as const) {
      existing.when(create(of), { account }).thenRefused(DENIED);
    }
    existing
      .when(create({ group: 'g' }))
      .then(event('presetCreated', { preset: presetOf({ group: 'g' }), number: 0n }));
  });

  it('replaces its categories of e-mail (R-E13)', () => {
    const set = (...categories: string[]): AccountAction => ({ type: 'setCategories', categories });
    given()
      .when(set('News', 'Offers', 'News'))
      .then(categoriesSet('News', 'Offers'));
    const after = given(categoriesSet('News', 'Offers'));
    expect(after.state('account')).toMatchObject({ categories: ['News', 'Offers'] });
    after.when(set('News', 'Offers')).then();
    after.when(set('Offers', 'News')).then(categoriesSet('Offers', 'News'));
    after.when(set('')).thenRefused('categories: ');
  });
});
