import { expect } from '@jest/globals';
import { type Accounts, AccountsDefinition, type Tags, TagsDefinition } from '@tidings/rpc';
import { describeServiceModule } from '@tidings/testing';
import { RegistryModule } from './registry.module.ts';

describeServiceModule({
  name: 'registry',
  module: RegistryModule,
  async answers(reach) {
    const accounts = reach<Accounts>(AccountsDefinition);
    expect(await accounts.findAccount({ account: 'default' })).toEqual({ found: true, categories: [] });
    expect(await accounts.findAccount({ account: 'unknown' })).toEqual({ found: false, categories: [] });
    const tags = await reach<Tags>(TagsDefinition).listTags({ account: 'default' });
    const formerTags = reach<Tags>({ ...TagsDefinition, fullName: AccountsDefinition.fullName });
    expect(await formerTags.listTags({ account: 'default' })).toEqual(tags);
  },
});
