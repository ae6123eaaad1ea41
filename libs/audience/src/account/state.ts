import type { AccountEvent, AccessScope } from '@tidings/events/generated/tidings/events/v1/accounts';
import { Fault } from '@tidings/kernel';
import type { TagDefinition } from '../default-tags.ts';
import { type CampaignState, evolveCampaign } from './campaigns.ts';
import { evolvePreset, type PresetState } from './presets.ts';
import { evolveFilter, type Filter } from './filters.ts';

/** The account that is there from the first start; requests that name none mean it. */
export const DEFAULT_ACCOUNT = 'default';

export interface Account {
  readonly kind: 'account';
  readonly name: string;
  readonly createdAt: Date;
  /** How many tags of its own it ever had: the index of the next. */
  readonly tagsMade: number;
}

export interface PlatformSettings {
  readonly platform: number;
  /** The flag of R-S5. */
  readonly enabled: boolean;
  /** Grows with every configuration; 0 = never configured. */
  readonly credentialVersion: number;
  readonly settings: Readonly<Record<string, string>>;
  /** Secret settings, sealed. */
  readonly sealed: Readonly<Record<string, Uint8Array>>;
}

export interface Application {
  readonly kind: 'application';
  readonly account: string;
  readonly code: string;
  readonly title: string;
  /** SHA-256 of the PNG in hex; "" without one. */
  readonly icon: string;
  readonly sdkIos: string;
  readonly sdkAndroid: string;
  readonly authorizeAllTokens: boolean;
  /** Debug mode is on until then (R-S8). */
  readonly debugUntil?: Date | undefined;
  readonly platforms: readonly PlatformSettings[];
  readonly createdAt: Date;
}

/** An API or device token. The secret is nowhere: it is known by its hash alone. */
export interface AccessToken {
  readonly kind: 'token';
  readonly account: string;
  readonly id: string;
  /** HMAC-SHA-256 of the secret. */
  readonly hash: Uint8Array;
  readonly scope: AccessScope;
  readonly allApplications: boolean;
  readonly applications: readonly string[];
  readonly createdAt: Date;
  readonly revoked: boolean;
}

export interface Tag extends TagDefinition {
  readonly kind: 'tag';
  readonly account: string;
}

/** What an account's log folds into. */
export type AccountState = Account | Application | AccessToken | Tag | CampaignState | PresetState | Filter;

type Kind = AccountState['kind'];

/** The state as one of this kind; anything else there is a bug. */
export function as<K extends Kind>(kind: K, state: AccountState | undefined): AccountState & { readonly kind: K } {
  if (state?.kind !== kind) throw Fault.bug(`${kind} expected, ${state?.kind ?? 'nothing'} found`);
  return state as AccountState & { readonly kind: K };
}

/** Which states an event changes. Tags and filters go by name, because names are what must be unique. */
export type AccountTarget =
  | { readonly kind: 'account' }
  | { readonly kind: 'application'; readonly code: string }
  | { readonly kind: 'token'; readonly id: string }
  | { readonly kind: 'tag' | 'filter'; readonly name: string }
  | { readonly kind: 'campaign' | 'preset'; readonly code: string };

export function targetsOf({ event }: AccountEvent): readonly AccountTarget[] {
  switch (event?.$case) {
    case 'created':
      return [{ kind: 'account' }];
    case 'tokenIssued':
    case 'tokenRevoked':
      return [{ kind: 'token', id: event.value.token }];
    case 'applicationCreated': {
      const application: AccountTarget = { kind: 'application', code: event.value.application };
      return event.value.token === '' ? [application] : [application, { kind: 'token', id: event.value.token }];
    }
    case 'platformConfigured':
    case 'debugSet':
      return [{ kind: 'application', code: event.value.application }];
    case 'tagAdded':
      return [{ kind: 'account' }, { kind: 'tag', name: event.value.name }];
    case 'campaignCreated':
      return [{ kind: 'campaign', code: event.value.campaign!.code }];
    case 'campaignDeleted':
      return [{ kind: 'campaign', code: event.value.campaign }];
    case 'presetCreated':
      return [{ kind: 'preset', code: event.value.preset!.code }];
    case 'presetDeleted':
      return [{ kind: 'preset', code: event.value.preset }];
    case 'filterCreated':
    case 'filterDeleted':
      return [{ kind: 'filter', name: event.value.name }];
    case undefined:
      return [];
  }
}

function evolveAccount(state: AccountState | undefined, { event, at }: AccountEvent): Account {
  if (event?.$case === 'created') {
    return { kind: 'account', name: event.value.name, createdAt: at ?? new Date(0), tagsMade: 0 };
  }
  const account = as('account', state);
  return event?.$case === 'tagAdded' ? { ...account, tagsMade: account.tagsMade + 1 } : account;
}

function evolveToken(state: AccountState | undefined, { account, event, at }: AccountEvent): AccessToken {
  if (event?.$case === 'tokenIssued') {
    const { token: id, hash, scope, allApplications, applications } = event.value;
    const createdAt = at ?? new Date(0);
    return { kind: 'token', account, id, hash, scope, allApplications, applications, createdAt, revoked: false };
  }
  const token = as('token', state);
  switch (event?.$case) {
    case 'tokenRevoked':
      return { ...token, revoked: true };
    case 'applicationCreated':
      return { ...token, applications: [...token.applications, event.value.application] };
    default:
      return token;
  }
}

function evolveApplication(state: AccountState | undefined, { account, event, at }: AccountEvent): Application {
  if (event?.$case === 'applicationCreated') {
    const { application: code, title, icon, sdkIos, sdkAndroid, authorizeAllTokens } = event.value;
    const createdAt = at ?? new Date(0);
    return {
      kind: 'application',
      account,
      code,
      title,
      icon,
      sdkIos,
      sdkAndroid,
      authorizeAllTokens,
      platforms: [],
      createdAt,
    };
  }
  const application = as('application', state);
  switch (event?.$case) {
    case 'platformConfigured': {
      const { platform, credentialVersion, settings, sealed } = event.value;
      const others = application.platforms.filter((each) => each.platform !== platform);
      const next = { platform, enabled: true, credentialVersion, settings, sealed };
      return { ...application, platforms: [...others, next].sort((a, b) => a.platform - b.platform) };
    }
    case 'debugSet':
      return { ...application, debugUntil: event.value.until };
    default:
      return application;
  }
}

/** The state after the event, for one of the event's targets. Pure. */
export function evolveAccountState(
  state: AccountState | undefined,
  event: AccountEvent,
  target: AccountTarget['kind'],
): AccountState {
  switch (target) {
    case 'account':
      return evolveAccount(state, event);
    case 'application':
      return evolveApplication(state, event);
    case 'token':
      return evolveToken(state, event);
    case 'tag': {
      if (event.event?.$case !== 'tagAdded') return as('tag', state);
      return { kind: 'tag', account: event.account, ...event.event.value };
    }
    case 'campaign':
      return as('campaign', evolveCampaign(state && as('campaign', state), event));
    case 'preset':
      return as('preset', evolvePreset(state && as('preset', state), event));
    case 'filter':
      return evolveFilter(state && as('filter', state), event);
  }
}
