import type { AccountEvent } from '@tidings/events/generated/tidings/events/v1/accounts';
import { Fault } from '@tidings/kernel';
import { isWithin } from '../tags/value.ts';
import type { Application } from './application.ts';
import { checkName } from './limits.ts';
import { checkSenders } from './senders.ts';
import { as } from './state.ts';
import { accountOf, type AccountView, liveToken, own } from './account-view.ts';

const DEBUG_MS = 60 * 60_000;
const BUCKETS = 10_000;
const MAX_CAPPING_DAYS = 30;

type Boxes = Readonly<Record<string, Uint8Array>>;

export type ApplicationAction =
  | {
      readonly type: 'createApplication';
      readonly code: string;
      readonly title: string;
      readonly icon: string;
      readonly sdkIos: string;
      readonly sdkAndroid: string;
      readonly authorizeAllTokens: boolean;
      readonly token: string;
    }
  | {
      readonly type: 'updateApplication';
      readonly application: string;
      readonly title?: string | undefined;
      readonly icon?: string | undefined;
      readonly sdkIos?: string | undefined;
      readonly sdkAndroid?: string | undefined;
    }
  | { readonly type: 'deleteApplication'; readonly application: string }
  | { readonly type: 'purgeApplication'; readonly application: string }
  | {
      readonly type: 'configurePlatform';
      readonly application: string;
      readonly platform: number;
      readonly settings: Readonly<Record<string, string>>;
      readonly sealed: Boxes;
      readonly disabled: boolean;
    }
  | {
      readonly type: 'resealPlatform';
      readonly application: string;
      readonly platform: number;
      readonly before: Boxes;
      readonly sealed: Boxes;
    }
  | {
      readonly type: 'setPlatformStatus';
      readonly application: string;
      readonly platform: number;
      readonly enabled: boolean;
    }
  | { readonly type: 'setDebug'; readonly application: string; readonly on: boolean }
  /** 0 to 100, to hundredths (R-E15). */
  | { readonly type: 'setControlGroup'; readonly application: string; readonly percentage: number }
  | { readonly type: 'setAtMostOnce'; readonly application: string; readonly on: boolean }
  | { readonly type: 'setTracking'; readonly application: string; readonly on: boolean }
  | {
      readonly type: 'setTokenRequirements';
      readonly application: string;
      readonly inbox?: boolean | undefined;
      readonly testDevices?: boolean | undefined;
    }
  | { readonly type: 'setCapping'; readonly application: string; readonly days: number; readonly count: number }
  | {
      readonly type: 'createGroup';
      readonly code: string;
      readonly name: string;
      readonly applications: readonly string[];
    };

type Change = NonNullable<AccountEvent['event']>;
type Action<Type extends ApplicationAction['type']> = ApplicationAction & { readonly type: Type };

function checkTitle(title: string): void {
  if (title === '' || !isWithin(title, 255)) throw Fault.argument('title: must have 1 to 255 characters');
}

function create(account: string, view: AccountView, action: Action<'createApplication'>): Change[] {
  accountOf(view);
  if (view.application(action.code)) throw Fault.conflict('the code is taken');
  checkTitle(action.title);
  const creator = action.token === '' ? undefined : liveToken(account, view, action.token);
  const { code: application, title, icon, sdkIos, sdkAndroid, authorizeAllTokens } = action;
  const token = creator && !creator.allApplications ? creator.id : '';
  return [
    { $case: 'applicationCreated', value: { application, title, icon, sdkIos, sdkAndroid, authorizeAllTokens, token } },
  ];
}

function update(application: Application, action: Action<'updateApplication'>): Change[] {
  if (action.title !== undefined) checkTitle(action.title);
  const changed = <Field extends 'title' | 'icon' | 'sdkIos' | 'sdkAndroid'>(field: Field): string | undefined =>
    action[field] === application[field] ? undefined : action[field];
  const [title, icon] = [changed('title'), changed('icon')];
  const [sdkIos, sdkAndroid] = [changed('sdkIos'), changed('sdkAndroid')];
  if ((title ?? icon ?? sdkIos ?? sdkAndroid) === undefined) return [];
  return [{ $case: 'applicationUpdated', value: { application: application.code, title, icon, sdkIos, sdkAndroid } }];
}

const bytesOf = (boxes: Boxes): Record<string, Buffer> =>
  Object.fromEntries(Object.entries(boxes).map(([name, box]) => [name, Buffer.from(box)]));

const areSame = (one: Boxes, other: Boxes): boolean =>
  Object.keys(one).length === Object.keys(other).length &&
  Object.entries(one).every(([name, box]) => other[name] && Buffer.compare(box, other[name]) === 0);

/** No effect if the ciphertexts have changed meanwhile. */
function reseal(account: string, view: AccountView, action: Action<'resealPlatform'>): Change[] {
  const { application, platform, before, sealed } = action;
  const state = as('application', view.application(application));
  const found = state.platforms.find((each) => each.platform === platform);
  if (state.account !== account || !found || !areSame(found.sealed, before)) return [];
  return [{ $case: 'platformResealed', value: { application, platform, sealed: bytesOf(sealed) } }];
}

function configure(own: Application, action: Action<'configurePlatform'>): Change[] {
  const { application, platform, settings, sealed, disabled } = action;
  const before = own.platforms.find((each) => each.platform === platform);
  const credentialVersion = (before?.credentialVersion ?? 0) + 1;
  return [
    {
      $case: 'platformConfigured',
      value: { application, platform, credentialVersion, settings, sealed: bytesOf(sealed), disabled },
    },
  ];
}

function setStatus(own: Application, { application, platform, enabled }: Action<'setPlatformStatus'>): Change[] {
  const before = own.platforms.find((each) => each.platform === platform)?.enabled ?? false;
  return before === enabled ? [] : [{ $case: 'platformStatusSet', value: { application, platform, enabled } }];
}

function setControlGroup(own: Application, { application, percentage }: Action<'setControlGroup'>): Change[] {
  if (!(percentage >= 0 && percentage <= 100)) throw Fault.argument('percentage: must be 0 to 100');
  const buckets = Math.round((percentage * BUCKETS) / 100);
  return buckets === (own.controlBuckets ?? 0) ? [] : [{ $case: 'controlGroupSet', value: { application, buckets } }];
}

function setCapping(own: Application, { application, days, count }: Action<'setCapping'>): Change[] {
  if (!(days >= 1 && days <= MAX_CAPPING_DAYS)) throw Fault.argument(`days: must be 1 to ${MAX_CAPPING_DAYS}`);
  if (!(count >= 0)) throw Fault.argument('count: must be 0 or more');
  const isSame = count === (own.capping?.count ?? 0) && (count === 0 || days === own.capping?.days);
  return isSame ? [] : [{ $case: 'cappingSet', value: { application, days, count } }];
}

function setAtMostOnce(own: Application, { application, on }: Action<'setAtMostOnce'>): Change[] {
  return on === (own.atMostOnce ?? false) ? [] : [{ $case: 'atMostOnceSet', value: { application, on } }];
}

function setTracking(own: Application, { application, on }: Action<'setTracking'>): Change[] {
  return on === !(own.trackingOff ?? false) ? [] : [{ $case: 'trackingSet', value: { application, on } }];
}

function setTokenRequirements(own: Application, action: Action<'setTokenRequirements'>): Change[] {
  const changed = (required: boolean | undefined, before = false) => (required === before ? undefined : required);
  const inbox = changed(action.inbox, own.inboxTokenRequired);
  const testDevices = changed(action.testDevices, own.testDeviceTokenRequired);
  if (inbox === undefined && testDevices === undefined) return [];
  return [{ $case: 'tokenRequirementsSet', value: { application: action.application, inbox, testDevices } }];
}

function createGroup(account: string, view: AccountView, action: Action<'createGroup'>): Change[] {
  const { code: group, name } = action;
  if (view.group(group)) throw Fault.conflict('the code is taken');
  checkName(name);
  const applications = [...new Set(action.applications)];
  if (applications.length === 0) throw Fault.argument('applications: must not be empty');
  for (const code of applications) own(account, view, code);
  return [{ $case: 'groupCreated', value: { group, name, applications } }];
}

function remove(account: string, view: AccountView, { application }: Action<'deleteApplication'>): Change[] {
  const state = view.application(application);
  if (state?.kind === 'application' && state.account === account && state.deletedAt) return [];
  own(account, view, application);
  return [{ $case: 'applicationDeleted', value: { application } }];
}

function purge(account: string, view: AccountView, { application }: Action<'purgeApplication'>): Change[] {
  const state = as('application', view.application(application));
  if (state.account !== account || !state.deletedAt || state.purgedAt) return [];
  return [{ $case: 'applicationPurged', value: { application } }];
}

export function decideApplication(account: string, view: AccountView, action: ApplicationAction, at: Date): Change[] {
  switch (action.type) {
    case 'createApplication':
      return create(account, view, action);
    case 'createGroup':
      return createGroup(account, view, action);
    case 'purgeApplication':
      return purge(account, view, action);
    case 'updateApplication':
      return update(own(account, view, action.application), action);
    case 'deleteApplication':
      return remove(account, view, action);
    case 'configurePlatform': {
      const application = own(account, view, action.application);
      checkSenders(accountOf(view).senders, action);
      return configure(application, action);
    }
    case 'resealPlatform':
      return reseal(account, view, action);
    case 'setPlatformStatus':
      return setStatus(own(account, view, action.application), action);
    case 'setDebug': {
      const { code: application } = own(account, view, action.application);
      const until = action.on ? new Date(at.getTime() + DEBUG_MS) : undefined;
      return [{ $case: 'debugSet', value: { application, until } }];
    }
    case 'setControlGroup':
      return setControlGroup(own(account, view, action.application), action);
    case 'setAtMostOnce':
      return setAtMostOnce(own(account, view, action.application), action);
    case 'setTracking':
      return setTracking(own(account, view, action.application), action);
    case 'setTokenRequirements':
      return setTokenRequirements(own(account, view, action.application), action);
    case 'setCapping':
      return setCapping(own(account, view, action.application), action);
  }
}
