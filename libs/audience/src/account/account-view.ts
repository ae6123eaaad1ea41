import { Fault } from '@tidings/kernel';
import type { Application, ApplicationGroup } from './application.ts';
import type { AddressState } from './addresses.ts';
import type { FilterView } from './filters.ts';
import type { GeozoneView } from './geozones.ts';
import { type AccessToken, type Account, type AccountState, as } from './state.ts';
import type { TagState } from './tags.ts';
import type { TestDevicesState } from './test-devices.ts';
import type { UsageView } from './usage.ts';

export interface AccountView extends GeozoneView, FilterView, UsageView {
  account(): AccountState | undefined;
  application(code: string): AccountState | undefined;
  token(id: string): AccountState | undefined;
  tag(name: string): TagState | undefined;
  testDevices(application: string): TestDevicesState | undefined;
  address(address: string): AddressState | undefined;
  group(code: string): AccountState | undefined;
}

/** Also for objects of another account (R-T5). */
export const DENIED = 'Access denied or application not found';

export const FORBID = 'Token restrictions forbid this operation';

export const own = (account: string, view: AccountView, code: string): Application => {
  const state = view.application(code);
  if (state?.kind !== 'application' || state.account !== account || state.deletedAt) throw Fault.argument(DENIED);
  return state;
};

export const ownGroup = (account: string, view: AccountView, code: string): ApplicationGroup => {
  const state = view.group(code);
  if (state?.kind !== 'group' || state.account !== account) throw Fault.argument(DENIED);
  return state;
};

export const accountOf = (view: AccountView): Account => {
  const state = view.account();
  if (!state) throw Fault.notFound('Account not found');
  return as('account', state);
};

export function liveToken(account: string, view: AccountView, id: string): AccessToken | undefined {
  const state = view.token(id);
  return state?.kind === 'token' && state.account === account && !state.revoked ? state : undefined;
}
