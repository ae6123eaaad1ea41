import { hash } from 'node:crypto';
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
import { type DocumentAddress, fieldsOf, type LogDefinition, type Needs } from '@tidings/event-store';
import { Geozone, Preset } from '@tidings/events';
import { AccountEvent } from '@tidings/events/generated/tidings/events/v1/accounts';
import type { Quotas } from '@tidings/kernel';
import { Binary } from 'mongodb';

/** An action on an account, with its time. */
export interface AccountCommand {
  readonly account: string;
  readonly action: AccountAction;
  readonly at: Date;
}

export interface AccountReply {
  /** Names of missing tags that the quota refuses. */
  readonly refusedTags: readonly string[];
}

/** Collections of an account's configuration. */
export const ACCOUNTS = 'accounts';
export const APPLICATIONS = 'applications';
export const TOKENS = 'tokens';
export const TAGS = 'tags';
export const CAMPAIGNS = 'campaigns';
export const PRESETS = 'presets';
export const TEST_DEVICES = 'test-devices';
export const FILTERS = 'filters';
export const GROUPS = 'groups';
export const GEOZONES = 'geozones';
export const CLUSTERS = 'geozoneClusters';
export const ADDRESSES = 'addresses';
export const USAGE = 'usage';

/** The log that holds an account's whole configuration. */
export const accountLogOf = (account: string): string => `accounts-${account}`;

/** Ids of tags and filters contain a hash of the name, which is arbitrary text from callers. */
export const namedId = (account: string, name: string): string =>
  `${account}:${hash('sha256', name, 'base64url').slice(0, 22)}`;

/** The id of an e-mail address's state in an account, from the keyed hash of the address. */
export const addressId = (account: string, address: string): string => `${account}:${address}`;

function addressOf(account: string, target: AccountTarget): DocumentAddress {
  switch (target.kind) {
    case 'account':
      return { collection: ACCOUNTS, id: account };
    case 'application':
      return { collection: APPLICATIONS, id: target.code };
    case 'group':
      return { collection: GROUPS, id: target.code };
    case 'token':
      return { collection: TOKENS, id: target.id };
    case 'tag':
      return { collection: TAGS, id: namedId(account, target.name) };
    case 'testDevices':
      return { collection: TEST_DEVICES, id: target.application };
    case 'campaign':
      return { collection: CAMPAIGNS, id: target.code };
    case 'preset':
      return { collection: PRESETS, id: target.code };
    case 'filter':
      return { collection: FILTERS, id: namedId(account, target.name) };
    case 'geozone':
      return { collection: GEOZONES, id: String(target.number) };
    case 'geozoneCluster':
      return { collection: CLUSTERS, id: target.code };
    case 'address':
      return { collection: ADDRESSES, id: addressId(account, target.address) };
    case 'usage':
      return { collection: USAGE, id: `${account}:${target.owner}` };
  }
}

const kinds: Readonly<Record<string, AccountTarget['kind']>> = {
  [ACCOUNTS]: 'account',
  [APPLICATIONS]: 'application',
  [TOKENS]: 'token',
  [TAGS]: 'tag',
  [CAMPAIGNS]: 'campaign',
  [PRESETS]: 'preset',
  [TEST_DEVICES]: 'testDevices',
  [FILTERS]: 'filter',
  [GROUPS]: 'group',
  [GEOZONES]: 'geozone',
  [CLUSTERS]: 'geozoneCluster',
  [ADDRESSES]: 'address',
  [USAGE]: 'usage',
};

const application = (code: string): AccountTarget => ({ kind: 'application', code });

const token = (id: string): AccountTarget[] => (id === '' ? [] : [{ kind: 'token', id }]);

/** The counts of an account, an application or a group. */
const usage = (owner: string): AccountTarget => ({ kind: 'usage', owner });

/** The application's usage counter; none for filters without an application. */
const bound = (code: string): AccountTarget[] => (code === '' ? [] : [application(code)]);

const geozone = (number: bigint): AccountTarget => ({ kind: 'geozone', number });

const named = (kind: 'campaign' | 'preset' | 'geozoneCluster', code = ''): AccountTarget[] =>
  code === '' ? [] : [{ kind, code }];

/** The other states that a change of a zone refers to. */
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

/** The states that the decision on an action reads. */
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
      return [application(action.application)];
    case 'configurePlatform':
      return [{ kind: 'account' }, application(action.application)];
    case 'addTag':
    case 'deleteTag':
      return [{ kind: 'account' }, usage(''), { kind: 'tag', name: action.name.trim() }];
    case 'addMissingTags':
      return [{ kind: 'account' }, usage(''), ...action.tags.map(({ name }): AccountTarget => ({ kind: 'tag', name }))];
    case 'setTestDevice':
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
        ...bound(action.application),
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

/** The documents that the decision on an action reads. */
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

/** The bytes of a stored binary, whether it came from memory or from MongoDB. */
export const bytesOf = (value: Uint8Array | Binary): Uint8Array => (value instanceof Binary ? value.buffer : value);

type StateOf<Kind extends AccountState['kind']> = AccountState & { readonly kind: Kind };

const accountFields = {
  [ACCOUNTS]: fieldsOf<StateOf<'account'>>({
    ...{ kind: true, name: true, createdAt: true, categories: true, emailOnly: true, senders: true },
    ...{ tagsMade: true, tagsDeleted: true, clearing: true },
  }),
  [APPLICATIONS]: fieldsOf<StateOf<'application'>>({
    ...{ kind: true, account: true, code: true, title: true, icon: true, sdkIos: true, sdkAndroid: true },
    ...{ authorizeAllTokens: true, debugUntil: true, platforms: true, controlBuckets: true, capping: true },
    ...{ atMostOnce: true, trackingOff: true, createdAt: true, deletedAt: true, purgedAt: true },
  }),
  [TOKENS]: fieldsOf<StateOf<'token'>>({
    ...{ kind: true, account: true, id: true, hash: true, scope: true, allApplications: true, applications: true },
    ...{ createdAt: true, revoked: true, expiresAt: true, rateLimit: true },
  }),
  [TAGS]: fieldsOf<StateOf<'tag'>>({
    ...{ kind: true, account: true, number: true, name: true, type: true, applicationSpecific: true, deleted: true },
  }),
  [CAMPAIGNS]: fieldsOf<StateOf<'campaign'>>({
    ...{ kind: true, account: true, code: true, id: true, application: true, name: true, description: true },
    ...{ named: true, deleted: true },
  }),
  [PRESETS]: fieldsOf<StateOf<'preset'> & { readonly owner: string; readonly name: string }>({
    ...{ kind: true, account: true, code: true, application: true, filter: true, preset: true, deleted: true },
    ...{ owner: true, name: true, number: true, unapproved: true },
  }),
  [TEST_DEVICES]: fieldsOf<StateOf<'testDevices'>>({ kind: true, account: true, application: true, devices: true }),
  [FILTERS]: fieldsOf<StateOf<'filter'>>({
    ...{ kind: true, account: true, live: true, code: true, name: true, text: true, expression: true, nesting: true },
    ...{ application: true, expiresAt: true, createdAt: true },
  }),
  [GROUPS]: fieldsOf<StateOf<'group'>>({
    ...{ kind: true, account: true, code: true, name: true, applications: true, createdAt: true },
  }),
  [GEOZONES]: fieldsOf<StateOf<'geozone'> & Record<'number' | 'application' | 'cluster' | 'place', unknown>>({
    ...{ kind: true, account: true, zone: true, deleted: true },
    ...{ number: true, application: true, cluster: true, place: true },
  }),
  [CLUSTERS]: fieldsOf<StateOf<'geozoneCluster'> & { readonly application: string }>({
    ...{ kind: true, account: true, cluster: true, deleted: true, application: true },
  }),
  [ADDRESSES]: fieldsOf<StateOf<'address'>>({
    ...{ kind: true, account: true, address: true, since: true, complained: true },
  }),
  [USAGE]: fieldsOf<StateOf<'usage'>>({
    ...{ kind: true, account: true, owner: true, applications: true, tags: true, presets: true },
    ...{ filters: true, geozones: true },
  }),
};

/** Whether a deleted state keeps nothing but its name. */
const isEmptied = (state: AccountState): boolean =>
  (state.kind === 'application' && state.deletedAt !== undefined) || (state.kind === 'filter' && !state.live);

/** The configuration of accounts: one log each, whose states are the collections above. */
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
  evolve: (state, event, { collection }) => evolveAccountState(state, event, kinds[collection]!),
  encode: (event) => AccountEvent.encode(event).finish(),
  decode: (bytes) => AccountEvent.decode(bytes),
  isKnown: ({ event }) => event !== undefined,
  toDocument: documentOf,
  fields: accountFields,
  clears: isEmptied,
  fromDocument: (document) => stateOf(document),
});

/** A state as a document: the fields that queries use, and records in the encoding of their events. */
function documentOf(state: AccountState): Record<string, unknown> {
  switch (state.kind) {
    case 'preset':
      return {
        ...state,
        owner: ownerOf(state.preset),
        name: state.preset.name,
        preset: Preset.encode(state.preset).finish(),
      };
    case 'geozone': {
      const { id, application, lat, lng, active, cluster } = state.zone;
      // Deactivated and deleted zones are not in the geospatial index.
      const place = active && !state.deleted ? { type: 'Point', coordinates: [lng, lat] } : undefined;
      return { ...state, zone: Geozone.encode(state.zone).finish(), number: Number(id), application, cluster, place };
    }
    case 'geozoneCluster':
      return { ...state, application: state.cluster.application };
    default:
      return { ...state };
  }
}

/** A state of an account as it is stored. */
export interface AccountDocument extends Record<string, unknown> {
  readonly _id: string;
}

/** The state in a stored document; binaries become bytes. */
export function stateOf(document: Readonly<Record<string, unknown>>): AccountState {
  const { _id, rev: _rev, ...state } = document;
  const read = state as unknown as AccountState;
  switch (read.kind) {
    case 'token':
      return { ...read, hash: bytesOf(read.hash) };
    case 'application': {
      const platforms = read.platforms.map((platform) => ({
        ...platform,
        sealed: Object.fromEntries(Object.entries(platform.sealed).map(([name, value]) => [name, bytesOf(value)])),
      }));
      return { ...read, platforms };
    }
    case 'preset':
      return { ...read, preset: Preset.decode(bytesOf(read.preset as unknown as Uint8Array | Binary)) };
    case 'filter':
      return read.live ? { ...read, expression: bytesOf(read.expression) } : read;
    case 'geozone':
      return { ...read, zone: Geozone.decode(bytesOf(read.zone as unknown as Uint8Array | Binary)) };
    case 'account':
    case 'tag':
    case 'testDevices':
    case 'campaign':
    case 'group':
    case 'geozoneCluster':
    case 'address':
    case 'usage':
      return read;
  }
}
