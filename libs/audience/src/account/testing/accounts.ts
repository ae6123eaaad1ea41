import { TagType } from '@tidings/events';
import { type AccountEvent, AccessScope } from '@tidings/events/generated/tidings/events/v1/accounts';
import { defaultQuotas } from '@tidings/kernel';
import type { AddressState } from '../addresses.ts';
import type { Application } from '../application.ts';
import type { CampaignState } from '../campaigns.ts';
import { type AccountAction, decideAccount } from '../decide.ts';
import type { Filter } from '../filters.ts';
import type { PresetState } from '../presets.ts';
import { type AccessToken, type AccountState, evolveAccountState, targetsOf } from '../state.ts';
import type { TagState } from '../tags.ts';
import type { TestDevicesState } from '../test-devices.ts';
import type { UsageState } from '../usage.ts';

export const AT = new Date('2026-01-01T12:00:00Z');
export const app = 'AAAAA-00001';

export class Accounts {
  readonly states = new Map<string, AccountState>();
  readonly used = new Set<string>();
  quotas = defaultQuotas;

  constructor() {
    this.do('a', { type: 'createAccount', name: 'A' });
    this.do('b', { type: 'createAccount', name: 'B' });
  }

  do(account: string, action: AccountAction, at = AT): AccountEvent[] {
    const view = {
      account: () => this.states.get(`account ${account}`),
      application: (code: string) => this.states.get(`application ${code}`),
      token: (id: string) => this.states.get(`token ${id}`),
      tag: (name: string) => this.states.get(`tag ${account} ${name}`) as TagState | undefined,
      testDevices: (of: string) => this.states.get(`test devices ${of}`) as TestDevicesState | undefined,
      campaign: (code: string) => this.states.get(`campaign ${code}`) as CampaignState | undefined,
      campaignsNamed: (key: string) =>
        [...this.states.values()].filter(
          (state): state is CampaignState => state.kind === 'campaign' && state.named === key,
        ),
      geozone: () => undefined,
      geozoneCluster: () => undefined,
      preset: (code: string) => this.states.get(`preset ${code}`) as PresetState | undefined,
      filter: (name: string) => this.states.get(`filter ${account} ${name}`) as Filter | undefined,
      hasFilter: () => true,
      isUsed: (code: string) => this.used.has(code),
      address: (address: string) => this.states.get(`address ${account} ${address}`) as AddressState | undefined,
      group: (code: string) => this.states.get(`group ${code}`),
      usage: (owner: string) => this.states.get(`usage ${account} ${owner}`) as UsageState | undefined,
    };
    const events = decideAccount(account, view, action, { at, quotas: this.quotas });
    for (const event of events) {
      for (const target of targetsOf(event)) {
        const key = {
          account: `account ${account}`,
          application: `application ${'code' in target ? target.code : ''}`,
          token: `token ${'id' in target ? target.id : ''}`,
          group: `group ${'code' in target ? target.code : ''}`,
          testDevices: `test devices ${'application' in target ? target.application : ''}`,
          tag: `tag ${account} ${'name' in target ? target.name : ''}`,
          campaign: `campaign ${'code' in target ? target.code : ''}`,
          geozone: '',
          geozoneCluster: '',
          preset: `preset ${'code' in target ? target.code : ''}`,
          address: `address ${account} ${'address' in target ? target.address : ''}`,
          filter: `filter ${account} ${'name' in target ? target.name : ''}`,
          usage: `usage ${account} ${'owner' in target ? target.owner : ''}`,
        }[target.kind];
        this.states.set(key, evolveAccountState(this.states.get(key), event, target.kind));
      }
    }
    return events;
  }

  application(): Application {
    return this.states.get(`application ${app}`) as Application;
  }

  token(): AccessToken {
    return this.states.get('token t1') as AccessToken;
  }
}

export const createApplication = (
  more: Partial<AccountAction & { type: 'createApplication' }> = {},
): AccountAction => ({
  type: 'createApplication',
  code: app,
  title: 'App',
  icon: '',
  sdkIos: 'pw',
  sdkAndroid: 'pw',
  authorizeAllTokens: false,
  token: '',
  ...more,
});
export const issueToken = (more: Partial<AccountAction & { type: 'issueToken' }> = {}): AccountAction => ({
  type: 'issueToken',
  id: 't1',
  hash: new Uint8Array(32),
  scope: AccessScope.ACCESS_SCOPE_API,
  allApplications: false,
  applications: [],
  ...more,
});
export const addTag = (
  name: string,
  tagType = TagType.TAG_TYPE_INTEGER,
  applicationSpecific = false,
): AccountAction => ({
  type: 'addTag',
  name,
  tagType,
  applicationSpecific,
});
