import { expect } from '@jest/globals';
import { type Accounts, AccountsDefinition } from '@tidings/rpc';
import { describeServiceModule } from '@tidings/testing';
import { RegistryModule } from './registry.module.ts';

describeServiceModule({
  name: 'registry',
  module: RegistryModule,
  async answers(reach) {
    const accounts = reach<Accounts>(AccountsDefinition);
    expect(await accounts.findAccount({ account: 'default' })).toEqual({ found: true, categories: [] });
    expect(await accounts.findAccount({ account: 'unknown' })).toEqual({ found: false, categories: [] });
  },
});
