import type { AccountEvent, AccessScope } from '@tidings/events/generated/tidings/events/v1/accounts';
import { Fault, type Quotas } from '@tidings/kernel';
import { isWithin } from '../tags/value.ts';
import { type AddressAction, decideAddress } from './addresses.ts';
import { type CampaignAction, decideCampaign } from './campaigns.ts';
import { type ClearOrphans, clearOrphans } from './orphans.ts';
import { decideFilter, type FilterAction } from './filters.ts';
import { approvePreset, createPreset, deletePreset, type PresetAction } from './presets.ts';
import { type ApplicationAction, decideApplication } from './decide-application.ts';
import { decideSenders, type SendersAction } from './senders.ts';
import { decideTag, type TagAction } from './tags.ts';
import { decideTestDevice, type TestDeviceAction } from './test-devices.ts';
import type { AccessToken } from './state.ts';
import { accountOf, type AccountView, liveToken, own, ownGroup } from './account-view.ts';
import { decideGeozone, type GeozoneAction } from './geozones.ts';
import { checkQuotas, roomForTags } from './usage.ts';

const MAX_CATEGORIES = 1000;
const CATEGORY_LENGTH = 255;

export type AccountAction =
  | { readonly type: 'createAccount'; readonly name: string }
  | {
      readonly type: 'issueToken';
      readonly id: string;
      readonly hash: Uint8Array;
      readonly scope: AccessScope;
      readonly allApplications: boolean;
      readonly applications: readonly string[];
      readonly expiresAt?: Date | undefined;
    }
  | { readonly type: 'revokeToken'; readonly id: string }
  | { readonly type: 'limitToken'; readonly id: string; readonly rateLimit: AccessToken['rateLimit'] }
  | { readonly type: 'setPlan'; readonly emailOnly: boolean }
  | { readonly type: 'setCategories'; readonly categories: readonly string[] }
  | TagAction
  | TestDeviceAction
  | CampaignAction
  | PresetAction
  | FilterAction
  | ApplicationAction
  | GeozoneAction
  | ClearOrphans
  | AddressAction
  | SendersAction;

type Change = NonNullable<AccountEvent['event']>;
type Action<Type extends AccountAction['type']> = AccountAction & { readonly type: Type };

function issueToken(account: string, view: AccountView, action: Action<'issueToken'>, at: Date): Change[] {
  accountOf(view);
  for (const code of action.applications) own(account, view, code);
  const { id: token, hash, scope, allApplications, expiresAt } = action;
  if (expiresAt && expiresAt <= at) throw Fault.argument('expires_at: must be in the future');
  const applications = allApplications ? [] : [...new Set(action.applications)];
  return [
    {
      $case: 'tokenIssued',
      value: { token, hash: Buffer.from(hash), scope, allApplications, applications, expiresAt },
    },
  ];
}

function limitToken(account: string, view: AccountView, { id, rateLimit }: Action<'limitToken'>): Change[] {
  const token = liveToken(account, view, id);
  if (!token) throw Fault.notFound('Token not found');
  const { requests = 0, seconds = 0 } = rateLimit ?? {};
  const { requests: before = 0, seconds: beforeSeconds = 0 } = token.rateLimit ?? {};
  if (requests === before && seconds === beforeSeconds) return [];
  return [{ $case: 'tokenLimited', value: { token: id, requests, seconds } }];
}

function setCategories(view: AccountView, action: Action<'setCategories'>): Change[] {
  const { categories: before = [] } = accountOf(view);
  const categories = [...new Set(action.categories)];
  if (categories.length > MAX_CATEGORIES) throw Fault.argument(`categories: at most ${MAX_CATEGORIES} entries`);
  if (categories.some((name) => name === '' || !isWithin(name, CATEGORY_LENGTH))) {
    throw Fault.argument(`categories: each must have 1 to ${CATEGORY_LENGTH} characters`);
  }
  const isSame = categories.length === before.length && categories.every((name, i) => name === before[i]);
  return isSame ? [] : [{ $case: 'categoriesSet', value: { categories } }];
}

function changes(
  account: string,
  view: AccountView,
  action: AccountAction,
  { at, quotas }: { readonly at: Date; readonly quotas: Quotas },
): Change[] {
  switch (action.type) {
    case 'createAccount':
      return view.account() ? [] : [{ $case: 'created', value: { name: action.name } }];
    case 'issueToken':
      return issueToken(account, view, action, at);
    case 'revokeToken':
      return liveToken(account, view, action.id) ? [{ $case: 'tokenRevoked', value: { token: action.id } }] : [];
    case 'limitToken':
      return limitToken(account, view, action);
    case 'setCategories':
      return setCategories(view, action);
    case 'setPlan': {
      const { emailOnly } = action;
      return emailOnly === (accountOf(view).emailOnly ?? false) ? [] : [{ $case: 'planSet', value: { emailOnly } }];
    }
    case 'setSenders':
      return decideSenders(accountOf(view).senders, action);
    case 'blacklistAddress':
    case 'clearAddress':
    case 'recordComplaint':
    case 'clearComplaint':
      accountOf(view);
      return decideAddress(view.address(action.address), action);
    case 'addTag':
    case 'addMissingTags':
    case 'deleteTag':
    case 'clearTag': {
      const states = { tag: (name: string) => view.tag(name), counts: () => accountOf(view) };
      return decideTag(states, action, roomForTags(view, quotas));
    }
    case 'setTestDevice':
    case 'confirmTestDevice':
    case 'deleteTestDevice':
      own(account, view, action.application);
      return decideTestDevice(view.testDevices(action.application), action, quotas.testDevices);
    case 'createCampaign':
    case 'nameCampaign':
      own(account, view, action.campaign.application);
      return decideCampaign(account, view, action);
    case 'deleteCampaign':
      return decideCampaign(account, view, action);
    case 'createPreset': {
      const { preset } = action;
      const { application, group, filter } = preset;
      const applications =
        group === '' ? [own(account, view, application).code] : ownGroup(account, view, group).applications;
      if (filter !== '' && !view.hasFilter(filter)) throw Fault.argument('segmentation.filter: not found');
      return createPreset(account, view, preset, applications, action.number);
    }
    case 'approvePreset':
      return approvePreset(account, view, action.code, action.approved);
    case 'deletePreset':
      return deletePreset(account, view, action.code);
    case 'createFilter':
      accountOf(view);
      if (action.application !== '') own(account, view, action.application);
      return decideFilter(view, action, at);
    case 'deleteFilter':
    case 'expireFilter':
      return decideFilter(view, action, at);
    default:
      return decideApplication(account, view, action, at);
    case 'clearOrphans':
      return clearOrphans(account, view, action);
    case 'addGeozoneCluster':
      own(account, view, action.cluster.application);
      return decideGeozone(account, view, action);
    case 'addGeozones':
    case 'changeGeozone':
    case 'deleteGeozones':
    case 'deleteGeozoneCluster':
      own(account, view, action.application);
      return decideGeozone(account, view, action);
  }
}

export function decideAccount(
  account: string,
  view: AccountView,
  action: AccountAction,
  { at, quotas }: { readonly at: Date; readonly quotas: Quotas },
): AccountEvent[] {
  const events = changes(account, view, action, { at, quotas });
  checkQuotas(view, events, quotas);
  return events.map((event) => ({ account, at, event }));
}
