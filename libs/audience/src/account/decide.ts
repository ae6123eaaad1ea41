import type { AccountEvent, AccessScope } from '@tidings/events/generated/tidings/events/v1/accounts';
import type { TagType } from '@tidings/events';
import { Fault } from '@tidings/kernel';
import { defaultTagList, tagNumber } from '../default-tags.ts';
import { isTagType } from '../tags/operations.ts';
import { isWithin } from '../tags/value.ts';
import { type CampaignAction, decideCampaign } from './campaigns.ts';
import { decidePreset, type PresetAction, type PresetView } from './presets.ts';
import {
  type CreateFilter,
  createFilter,
  type DeleteFilter,
  deleteFilter,
  type ExpireFilter,
  expireFilter,
  type Filter,
} from './filters.ts';
import { type AccessToken, type Account, type AccountState, type Application, as } from './state.ts';

/** How long debug mode stays on (R-S8). */
const DEBUG_MS = 60 * 60_000;

export type AccountAction =
  /** Does nothing where the account is there already. */
  | { readonly type: 'createAccount'; readonly name: string }
  | {
      readonly type: 'issueToken';
      readonly id: string;
      readonly hash: Uint8Array;
      readonly scope: AccessScope;
      readonly allApplications: boolean;
      readonly applications: readonly string[];
    }
  | { readonly type: 'revokeToken'; readonly id: string }
  | {
      readonly type: 'createApplication';
      readonly code: string;
      readonly title: string;
      readonly icon: string;
      readonly sdkIos: string;
      readonly sdkAndroid: string;
      readonly authorizeAllTokens: boolean;
      /** The token that creates it, "" without one. */
      readonly token: string;
    }
  | {
      readonly type: 'configurePlatform';
      readonly application: string;
      readonly platform: number;
      readonly settings: Readonly<Record<string, string>>;
      readonly sealed: Readonly<Record<string, Uint8Array>>;
    }
  | { readonly type: 'setDebug'; readonly application: string; readonly on: boolean }
  | {
      readonly type: 'addTag';
      readonly name: string;
      readonly tagType: TagType;
      readonly applicationSpecific: boolean;
    }
  | CampaignAction
  | PresetAction
  | CreateFilter
  | DeleteFilter
  | ExpireFilter;

/** The states of one account that an action is decided on. */
export interface AccountView extends PresetView {
  account(): AccountState | undefined;
  application(code: string): AccountState | undefined;
  token(id: string): AccountState | undefined;
  tag(name: string): AccountState | undefined;
  filter(name: string): AccountState | undefined;
}

/** The one text for what is unknown and for what is another account's (R-T5). */
export const DENIED = 'Access denied or application not found';

/** What a valid token is told that may not use an application of its account (R-T5). */
export const FORBID = 'Token restrictions forbid this operation';

type Change = NonNullable<AccountEvent['event']>;

const own = (account: string, view: AccountView, code: string): Application => {
  const state = view.application(code);
  if (state?.kind !== 'application' || state.account !== account) throw Fault.argument(DENIED);
  return state;
};

const accountOf = (view: AccountView): Account => {
  const state = view.account();
  if (!state) throw Fault.notFound('Account not found');
  return as('account', state);
};

function liveToken(account: string, view: AccountView, id: string): AccessToken | undefined {
  const state = view.token(id);
  return state?.kind === 'token' && state.account === account && !state.revoked ? state : undefined;
}

function issueToken(account: string, view: AccountView, action: AccountAction & { type: 'issueToken' }): Change[] {
  accountOf(view);
  for (const code of action.applications) own(account, view, code);
  const { id: token, hash, scope, allApplications } = action;
  const applications = allApplications ? [] : [...new Set(action.applications)];
  return [{ $case: 'tokenIssued', value: { token, hash: Buffer.from(hash), scope, allApplications, applications } }];
}

function createApplication(
  account: string,
  view: AccountView,
  action: AccountAction & { type: 'createApplication' },
): Change[] {
  accountOf(view);
  if (view.application(action.code)) throw Fault.conflict('the code is taken');
  if (action.title === '' || !isWithin(action.title, 255)) throw Fault.argument('title: must have 1 to 255 characters');
  const creator = action.token === '' ? undefined : liveToken(account, view, action.token);
  const { code: application, title, icon, sdkIos, sdkAndroid, authorizeAllTokens } = action;
  const token = creator && !creator.allApplications ? creator.id : '';
  return [
    { $case: 'applicationCreated', value: { application, title, icon, sdkIos, sdkAndroid, authorizeAllTokens, token } },
  ];
}

function configurePlatform(
  account: string,
  view: AccountView,
  action: AccountAction & { type: 'configurePlatform' },
): Change[] {
  const { application, platform, settings, sealed } = action;
  const before = own(account, view, application).platforms.find((each) => each.platform === platform);
  const credentialVersion = (before?.credentialVersion ?? 0) + 1;
  const bytes = Object.fromEntries(Object.entries(sealed).map(([name, value]) => [name, Buffer.from(value)]));
  return [
    { $case: 'platformConfigured', value: { application, platform, credentialVersion, settings, sealed: bytes } },
  ];
}

const defaultNames = new Set(defaultTagList.map(({ name }) => name));

function addTag(view: AccountView, action: AccountAction & { type: 'addTag' }): Change[] {
  const name = action.name.trim();
  if (name === '' || !isWithin(name, 255)) throw Fault.argument('tag.name: must have 1 to 255 characters');
  if (!isTagType(action.tagType)) throw Fault.argument('tag.type: must be 1 to 7');
  const { tagsMade } = accountOf(view);
  if (defaultNames.has(name) || view.tag(name)) throw Fault.argument('Tag already exists');
  const { tagType: type, applicationSpecific } = action;
  return [
    {
      $case: 'tagAdded',
      value: { number: tagNumber(tagsMade, type, applicationSpecific), name, type, applicationSpecific },
    },
  ];
}

function filterNamed(view: AccountView, name: string): Filter | undefined {
  const state = view.filter(name);
  return state && as('filter', state);
}

function changes(account: string, view: AccountView, action: AccountAction, at: Date): Change[] {
  switch (action.type) {
    case 'createAccount':
      return view.account() ? [] : [{ $case: 'created', value: { name: action.name } }];
    case 'issueToken':
      return issueToken(account, view, action);
    case 'revokeToken':
      return liveToken(account, view, action.id) ? [{ $case: 'tokenRevoked', value: { token: action.id } }] : [];
    case 'createApplication':
      return createApplication(account, view, action);
    case 'configurePlatform':
      return configurePlatform(account, view, action);
    case 'setDebug': {
      own(account, view, action.application);
      const until = action.on ? new Date(at.getTime() + DEBUG_MS) : undefined;
      return [{ $case: 'debugSet', value: { application: action.application, until } }];
    }
    case 'addTag':
      return addTag(view, action);
    case 'createCampaign':
    case 'nameCampaign':
      own(account, view, action.campaign.application);
      return decideCampaign(account, view, action);
    case 'deleteCampaign':
      return decideCampaign(account, view, action);
    case 'createPreset':
      own(account, view, action.preset.application);
      return decidePreset(account, view, action);
    case 'deletePreset':
      return decidePreset(account, view, action);
    case 'createFilter':
      accountOf(view);
      if (action.application !== '') own(account, view, action.application);
      return createFilter(filterNamed(view, action.name), action, at);
    case 'deleteFilter':
      return deleteFilter(filterNamed(view, action.name), action);
    case 'expireFilter':
      return expireFilter(filterNamed(view, action.name), action, at);
  }
}

/** What follows from an action on an account. Pure. Another account's application answers like one that does not exist. */
export const decideAccount = (account: string, view: AccountView, action: AccountAction, at: Date): AccountEvent[] =>
  changes(account, view, action, at).map((event) => ({ account, at, event }));
