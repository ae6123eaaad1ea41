import {
  type AccountAction,
  type AccountState,
  type AccountTarget,
  type AddressState,
  campaignNameKey,
  type CampaignState,
  type ClearOrphans,
  decideAccount,
  evolveAccountState,
  type Filter,
  fitTags,
  type GeozoneClusterState,
  type GeozonePatch,
  type GeozoneState,
  ownerOf,
  type PresetState,
  roomForTags,
  type TagState,
  targetsOf,
  type TestDevicesState,
  type UsageState,
} from '@tidings/audience';
import type { LogDefinition, Needs } from '@tidings/event-store';
import { AccountEvent } from '@tidings/events/generated/tidings/events/v1/accounts';
import type { Quotas } from '@tidings/kernel';
import { CAMPAIGNS, PRESETS, FILTERS, addressOf, kinds } from './account-collections.ts';
import { accountFields, documentOf, isCleared, stateOf } from './account-documents.ts';

export interface AccountCommand {
  readonly account: string;
  readonly action: AccountAction;
  readonly at: Date;
}

export interface AccountReply {
  readonly refusedTags: readonly string[];
}

export const accountLogOf = (account: string): string => `accounts-${account}`;

const application = (code: string): AccountTarget => ({ kind: 'application', code });

const token = (id: string): AccountTarget[] => (id === '' ? [] : [{ kind: 'token', id }]);

const usage = (owner: string): AccountTarget => ({ kind: 'usage', owner });

const applicationOf = (code: string): AccountTarget[] => (code === '' ? [] : [application(code)]);

const geozone = (number: bigint): AccountTarget => ({ kind: 'geozone', number });

const named = (kind: 'campaign' | 'preset' | 'geozoneCluster', code = ''): AccountTarget[] =>
  code === '' ? [] : [{ kind, code }];

const partsOf = ({ id, campaign, preset, cluster }: GeozonePatch & { id?: bigint }): AccountTarget[] => [
  ...(id === undefined ? [] : [geozone(id)]),
  ...named('campaign', campaign),
  ...named('preset', preset),
  ...named('geozoneCluster', cluster),
];

const targetsOfOrphans = ({ application, orphans }: ClearOrphans): AccountTarget[] => [
  { kind: 'testDevices', application },
  usage(application),
  ...orphans.presets.flatMap((code) => named('preset', code)),
  ...orphans.campaigns.flatMap((code) => named('campaign', code)),
  ...orphans.clusters.flatMap((code) => named('geozoneCluster', code)),
  ...orphans.geozones.map(geozone),
  ...orphans.filters.map((name): AccountTarget => ({ kind: 'filter', name })),
];

function targetsOfAction(action: AccountAction): AccountTarget[] {
  switch (action.type) {
    case 'createAccount':
    case 'setCategories':
    case 'setSenders':
    case 'setPlan':
    case 'clearTag':
      return [{ kind: 'account' }];
    case 'blacklistAddress':
    case 'clearAddress':
    case 'recordComplaint':
    case 'clearComplaint':
      return [{ kind: 'account' }, { kind: 'address', address: action.address }];
    case 'issueToken':
      return [{ kind: 'account' }, ...token(action.id), ...action.applications.map(application)];
    case 'revokeToken':
    case 'limitToken':
      return token(action.id);
    case 'createApplication':
      return [{ kind: 'account' }, usage(''), application(action.code), ...token(action.token)];
    case 'createGroup':
      return [{ kind: 'group', code: action.code }, ...action.applications.map(application)];
    case 'deleteApplication':
      return [application(action.application), usage('')];
    case 'updateApplication':
    case 'purgeApplication':
    case 'resealPlatform':
    case 'setPlatformStatus':
    case 'setDebug':
    case 'setControlGroup':
    case 'setCapping':
    case 'setAtMostOnce':
    case 'setTracking':
    case 'setTokenRequirements':
      return [application(action.application)];
    case 'configurePlatform':
      return [{ kind: 'account' }, application(action.application)];
    case 'addTag':
    case 'deleteTag':
      return [{ kind: 'account' }, usage(''), { kind: 'tag', name: action.name.trim() }];
    case 'addMissingTags':
      return [{ kind: 'account' }, usage(''), ...action.tags.map(({ name }): AccountTarget => ({ kind: 'tag', name }))];
    case 'setTestDevice':
    case 'confirmTestDevice':
    case 'deleteTestDevice':
      return [application(action.application), { kind: 'testDevices', application: action.application }];
    case 'createCampaign':
    case 'nameCampaign':
      return [application(action.campaign.application), { kind: 'campaign', code: action.campaign.code }];
    case 'deleteCampaign':
      return [{ kind: 'campaign', code: action.code }];
    case 'createPreset': {
      const { code, application: of, group, campaign } = action.preset;
      const owner: AccountTarget = group === '' ? application(of) : { kind: 'group', code: group };
      return [owner, usage(ownerOf(action.preset)), { kind: 'preset', code }, ...named('campaign', campaign)];
    }
    case 'deletePreset':
    case 'approvePreset':
      return [{ kind: 'preset', code: action.code }];
    case 'createFilter':
      return [
        { kind: 'account' },
        usage(action.application),
        { kind: 'filter', name: action.name },
        ...applicationOf(action.application),
      ];
    case 'deleteFilter':
    case 'expireFilter':
      return [{ kind: 'filter', name: action.name }];
    case 'clearOrphans':
      return [application(action.application), ...targetsOfOrphans(action)];
    case 'addGeozones':
      return [
        application(action.application),
        usage(action.application),
        ...action.drafts.flatMap(({ zone, campaign }) => partsOf({ ...zone, campaign })),
      ];
    case 'changeGeozone':
      return [application(action.application), geozone(action.id), ...partsOf(action.patch)];
    case 'deleteGeozones':
      return [application(action.application), usage(action.application), ...action.ids.map(geozone)];
    case 'addGeozoneCluster':
      return [application(action.cluster.application), { kind: 'geozoneCluster', code: action.cluster.code }];
    case 'deleteGeozoneCluster':
      return [application(action.application), { kind: 'geozoneCluster', code: action.code }];
  }
}

function needsOf({ account, action }: AccountCommand): Needs {
  const ids = targetsOfAction(action).map((target) => addressOf(account, target));
  switch (action.type) {
    case 'nameCampaign': {
      const { application, name } = action.campaign;
      return { ids, lookups: [{ collection: CAMPAIGNS, field: 'named', value: campaignNameKey(application, name) }] };
    }
    case 'createPreset': {
      const { filter } = action.preset;
      return filter === '' ? { ids } : { ids, lookups: [{ collection: FILTERS, field: 'code', value: filter }] };
    }
    case 'deleteFilter':
    case 'expireFilter':
      return { ids, lookups: [{ collection: PRESETS, field: 'filter', value: action.code }] };
    default:
      return { ids };
  }
}

type Found = readonly { readonly state: AccountState }[];

const filtersIn = (found: Found): Filter[] => found.map(({ state }) => state as Filter);
const presetsIn = (found: Found): PresetState[] => found.map(({ state }) => state as PresetState);

export const accountsLog = (
  quotas: Quotas,
): LogDefinition<AccountCommand, AccountEvent, AccountState, AccountReply> => ({
  category: 'accounts',
  lookups: { [CAMPAIGNS]: 'named', [FILTERS]: 'code', [PRESETS]: 'filter' },
  needs: needsOf,
  decide({ account, action, at }, view) {
    const state = (target: AccountTarget) => view.get(addressOf(account, target));
    const states = {
      account: () => state({ kind: 'account' }),
      application: (code: string) => state({ kind: 'application', code }),
      token: (id: string) => state({ kind: 'token', id }),
      tag: (name: string) => state({ kind: 'tag', name }) as TagState | undefined,
      testDevices: (application: string) => state({ kind: 'testDevices', application }) as TestDevicesState | undefined,
      campaign: (code: string) => state({ kind: 'campaign', code }) as CampaignState | undefined,
      campaignsNamed: (key: string) => view.find(CAMPAIGNS, key).map((found) => found.state as CampaignState),
      geozone: (number: bigint) => state({ kind: 'geozone', number }) as GeozoneState | undefined,
      geozoneCluster: (code: string) => state({ kind: 'geozoneCluster', code }) as GeozoneClusterState | undefined,
      preset: (code: string) => state({ kind: 'preset', code }) as PresetState | undefined,
      filter: (name: string) => state({ kind: 'filter', name }) as Filter | undefined,
      hasFilter: (code: string) => filtersIn(view.find(FILTERS, code)).some(({ live }) => live),
      isUsed: (code: string) => presetsIn(view.find(PRESETS, code)).some(({ deleted }) => !deleted),
      address: (address: string) => state({ kind: 'address', address }) as AddressState | undefined,
      group: (code: string) => state({ kind: 'group', code }),
      usage: (owner: string) => state({ kind: 'usage', owner }) as UsageState | undefined,
    };
    const refusedTags =
      action.type === 'addMissingTags' ? fitTags(states, action.tags, roomForTags(states, quotas)).refused : [];
    return { events: decideAccount(account, states, action, { at, quotas }), reply: { refusedTags } };
  },
  addresses: (event) => targetsOf(event).map((target) => addressOf(event.account, target)),
  evolve: (state, event, { collection }) => evolveAccountState(state, event, kinds.get(collection)!),
  encode: (event) => AccountEvent.encode(event).finish(),
  decode: (bytes) => AccountEvent.decode(bytes),
  isKnown: ({ event }) => event !== undefined,
  toDocument: documentOf,
  fields: accountFields,
  clears: isCleared,
  fromDocument: (document) => stateOf(document),
});
