import type { AccountEvent, AccessScope } from '@tidings/events/generated/tidings/events/v1/accounts';
import { Fault } from '@tidings/kernel';
import { type CampaignState, evolveCampaign } from './campaigns.ts';
import { evolveGeozone, evolveGeozoneCluster, type GeozoneClusterState, type GeozoneState } from './geozones.ts';
import { evolvePreset, type PresetState } from './presets.ts';
import { type AddressState, evolveAddress } from './addresses.ts';
import { evolveFilter, type Filter } from './filters.ts';
import { type Application, type ApplicationGroup, createdApplication, evolveApplication } from './application.ts';
import type { Senders } from './senders.ts';
import { evolveTag, evolveTagCounts, type TagCounts, type TagState } from './tags.ts';
import { evolveTestDevices, type TestDevicesState } from './test-devices.ts';
import { evolveUsage, growthOf, type UsageState } from './usage.ts';

export const DEFAULT_ACCOUNT = 'default';

export interface Account extends TagCounts {
  readonly kind: 'account';
  readonly name: string;
  readonly createdAt: Date;
  readonly categories?: readonly string[] | undefined;
  readonly emailOnly?: boolean | undefined;
  readonly senders?: Senders | undefined;
}

export interface AccessToken {
  readonly kind: 'token';
  readonly account: string;
  readonly id: string;
  readonly hash: Uint8Array;
  readonly scope: AccessScope;
  readonly allApplications: boolean;
  readonly applications: readonly string[];
  readonly createdAt: Date;
  readonly revoked: boolean;
  readonly expiresAt?: Date | undefined;
  /** A burst, and the seconds in which as many are allowed again (R-LM2). */
  readonly rateLimit?: { readonly requests: number; readonly seconds: number } | undefined;
}

export type AccountState =
  | Account
  | Application
  | ApplicationGroup
  | AccessToken
  | TagState
  | TestDevicesState
  | CampaignState
  | PresetState
  | Filter
  | GeozoneState
  | GeozoneClusterState
  | AddressState
  | UsageState;

type Kind = AccountState['kind'];

export function as<K extends Kind>(kind: K, state: AccountState | undefined): AccountState & { readonly kind: K } {
  if (state?.kind !== kind) throw Fault.bug(`${kind} expected, ${state?.kind ?? 'nothing'} found`);
  return state as AccountState & { readonly kind: K };
}

export type AccountTarget =
  | { readonly kind: 'account' }
  | { readonly kind: 'application'; readonly code: string }
  | { readonly kind: 'group'; readonly code: string }
  | { readonly kind: 'token'; readonly id: string }
  | { readonly kind: 'tag' | 'filter'; readonly name: string }
  | { readonly kind: 'testDevices'; readonly application: string }
  | { readonly kind: 'campaign' | 'preset' | 'geozoneCluster'; readonly code: string }
  | { readonly kind: 'geozone'; readonly number: bigint }
  | { readonly kind: 'address'; readonly address: string }
  | { readonly kind: 'usage'; readonly owner: string };

export function targetsOf({ event }: AccountEvent): readonly AccountTarget[] {
  const growth = growthOf(event);
  return growth ? [...thingsOf(event), { kind: 'usage', owner: growth.owner }] : thingsOf(event);
}

function thingsOf(event: AccountEvent['event']): readonly AccountTarget[] {
  switch (event?.$case) {
    case 'created':
    case 'categoriesSet':
    case 'sendersSet':
    case 'planSet':
      return [{ kind: 'account' }];
    case 'tokenIssued':
    case 'tokenRevoked':
    case 'tokenLimited':
      return [{ kind: 'token', id: event.value.token }];
    case 'applicationCreated': {
      const application: AccountTarget = { kind: 'application', code: event.value.application };
      return event.value.token === '' ? [application] : [application, { kind: 'token', id: event.value.token }];
    }
    case 'applicationUpdated':
    case 'platformConfigured':
    case 'platformResealed':
    case 'platformStatusSet':
    case 'debugSet':
    case 'controlGroupSet':
    case 'cappingSet':
    case 'atMostOnceSet':
    case 'trackingSet':
    case 'tokenRequirementsSet':
    case 'applicationDeleted':
    case 'applicationPurged':
      return [{ kind: 'application', code: event.value.application }];
    case 'groupCreated':
      return [{ kind: 'group', code: event.value.group }];
    case 'tagAdded':
    case 'tagDeleted':
      return [{ kind: 'account' }, { kind: 'tag', name: event.value.name }];
    case 'tagCleared':
      return [{ kind: 'account' }];
    case 'testDeviceSet':
    case 'testDeviceRemoved':
    case 'testDevicesRemoved':
      return [{ kind: 'testDevices', application: event.value.application }];
    case 'campaignCreated':
      return [{ kind: 'campaign', code: event.value.campaign!.code }];
    case 'campaignDeleted':
      return [{ kind: 'campaign', code: event.value.campaign }];
    case 'presetCreated':
      return [{ kind: 'preset', code: event.value.preset!.code }];
    case 'presetDeleted':
    case 'presetApprovalSet':
      return [{ kind: 'preset', code: event.value.preset }];
    case 'filterCreated':
    case 'filterDeleted':
      return [{ kind: 'filter', name: event.value.name }];
    case 'geozoneAdded':
    case 'geozoneChanged':
      return [{ kind: 'geozone', number: event.value.zone!.id }];
    case 'geozoneDeleted':
      return [{ kind: 'geozone', number: event.value.zone }];
    case 'geozoneClusterAdded':
      return [{ kind: 'geozoneCluster', code: event.value.cluster!.code }];
    case 'geozoneClusterDeleted':
      return [{ kind: 'geozoneCluster', code: event.value.cluster }];
    case 'addressBlacklisted':
    case 'addressCleared':
    case 'addressComplained':
    case 'complaintCleared':
      return [{ kind: 'address', address: event.value.address }];
    case undefined:
      return [];
  }
}

function evolveAccount(state: AccountState | undefined, accountEvent: AccountEvent): Account {
  const { event, at } = accountEvent;
  if (event?.$case === 'created') {
    const createdAt = at ?? new Date(0);
    return { kind: 'account', name: event.value.name, createdAt, tagsMade: 0, tagsDeleted: 0, clearing: [] };
  }
  const account = as('account', state);
  if (event?.$case === 'categoriesSet') return { ...account, categories: event.value.categories };
  if (event?.$case === 'planSet') return { ...account, emailOnly: event.value.emailOnly };
  if (event?.$case === 'sendersSet') return { ...account, senders: event.value };
  return evolveTagCounts(account, accountEvent);
}

function evolveToken(state: AccountState | undefined, { account, event, at }: AccountEvent): AccessToken {
  if (event?.$case === 'tokenIssued') {
    const { token: id, hash, scope, allApplications, applications, expiresAt } = event.value;
    const granted = { scope, allApplications, applications, expiresAt };
    return { kind: 'token', account, id, hash, ...granted, createdAt: at ?? new Date(0), revoked: false };
  }
  const token = as('token', state);
  switch (event?.$case) {
    case 'tokenRevoked':
      return { ...token, revoked: true };
    case 'tokenLimited': {
      const { requests, seconds } = event.value;
      return { ...token, rateLimit: requests === 0 ? undefined : { requests, seconds } };
    }
    case 'applicationCreated':
      return { ...token, applications: [...token.applications, event.value.application] };
    default:
      return token;
  }
}

function evolveGroup(state: AccountState | undefined, { account, event, at }: AccountEvent): ApplicationGroup {
  if (event?.$case !== 'groupCreated') return as('group', state);
  const { group: code, name, applications } = event.value;
  return { kind: 'group', account, code, name, applications, createdAt: at ?? new Date(0) };
}

export function evolveAccountState(
  state: AccountState | undefined,
  event: AccountEvent,
  target: AccountTarget['kind'],
): AccountState {
  switch (target) {
    case 'account':
      return evolveAccount(state, event);
    case 'application':
      return createdApplication(event) ?? evolveApplication(as('application', state), event);
    case 'group':
      return evolveGroup(state, event);
    case 'token':
      return evolveToken(state, event);
    case 'tag':
      return as('tag', evolveTag(state && as('tag', state), event));
    case 'testDevices':
      return as('testDevices', evolveTestDevices(state && as('testDevices', state), event));
    case 'campaign':
      return as('campaign', evolveCampaign(state && as('campaign', state), event));
    case 'preset':
      return as('preset', evolvePreset(state && as('preset', state), event));
    case 'filter':
      return evolveFilter(state && as('filter', state), event);
    case 'geozone':
      return as('geozone', evolveGeozone(state && as('geozone', state), event));
    case 'geozoneCluster':
      return as('geozoneCluster', evolveGeozoneCluster(state && as('geozoneCluster', state), event));
    case 'address':
      return as('address', evolveAddress(state && as('address', state), event));
    case 'usage':
      return as('usage', evolveUsage(state && as('usage', state), event));
  }
}
