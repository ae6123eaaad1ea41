import { expect } from '@jest/globals';
import { TagType } from '@tidings/events';
import {
  type AccountEvent,
  AccessScope,
  type ApplicationCreated,
  type TagAdded,
  type TokenIssued,
} from '@tidings/events/generated/tidings/events/v1/accounts';
import { defaultQuotas } from '@tidings/kernel';
import type { AccountView } from '../account-view.ts';
import type { Application } from '../application.ts';
import { type AccountAction, decideAccount } from '../decide.ts';
import { type AccessToken, type AccountState, type AccountTarget, evolveAccountState, targetsOf } from '../state.ts';

export const AT = new Date('2026-01-01T12:00:00Z');
export const app = 'AAAAA-00001';

type Change = NonNullable<AccountEvent['event']>;
type ValueOf<Case extends Change['$case']> = Extract<Change, { readonly $case: Case }>['value'];

/** An event of account a. */
export const event = <Case extends Change['$case']>($case: Case, value: ValueOf<Case>): AccountEvent => ({
  account: 'a',
  at: AT,
  event: { $case, value } as Change,
});
export const inAccount = (account: string, past: AccountEvent): AccountEvent => ({ ...past, account });
export const happened = (at: Date, past: AccountEvent): AccountEvent => ({ ...past, at });

const application = { code: app, title: 'App', icon: '', sdkIos: 'pw', sdkAndroid: 'pw', authorizeAllTokens: false };
const token = { scope: AccessScope.ACCESS_SCOPE_API, allApplications: false, applications: [] };

export const applicationCreated = ({ code, ...more }: Partial<ApplicationCreated & { code: string }> = {}) => {
  const { code: own, ...details } = application;
  return event('applicationCreated', { application: code ?? own, ...details, token: '', ...more });
};
export const tokenIssued = (more: Partial<TokenIssued> = {}) =>
  event('tokenIssued', { token: 't1', hash: Buffer.alloc(32), ...token, expiresAt: undefined, ...more });
export const tagAdded = (name: string, number: number, more: Partial<TagAdded> = {}) =>
  event('tagAdded', { name, number, type: TagType.TAG_TYPE_INTEGER, applicationSpecific: false, ...more });

export const createApplication = (
  more: Partial<AccountAction & { type: 'createApplication' }> = {},
): AccountAction => ({ type: 'createApplication', ...application, token: '', ...more });
export const issueToken = (more: Partial<AccountAction & { type: 'issueToken' }> = {}): AccountAction => ({
  type: 'issueToken',
  id: 't1',
  hash: new Uint8Array(32),
  ...token,
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

interface Circumstances {
  /** @default a */
  readonly account?: string;
  readonly at?: Date;
  /** Codes of filters that presets use. */
  readonly used?: readonly string[];
}

type Kind = AccountState['kind'];
type StateOf<K extends Kind> = AccountState & { readonly kind: K };

const perAccount: ReadonlySet<Kind> = new Set<Kind>(['account', 'tag', 'filter', 'address', 'usage']);

const keyOf = (kind: Kind, name: string, account: string): string =>
  perAccount.has(kind) ? `${kind} ${account} ${name}` : `${kind} ${name}`;

const nameOf = ({ kind: _kind, ...rest }: AccountTarget): string => Object.values(rest).map(String).join();

/** The past events of accounts a and b, which exist. */
export function given(...past: readonly AccountEvent[]) {
  const states = new Map<string, AccountState>();
  const created = [event('created', { name: 'A' }), inAccount('b', event('created', { name: 'B' }))];
  for (const each of [...created, ...past]) {
    for (const target of targetsOf(each)) {
      const key = keyOf(target.kind, nameOf(target), each.account);
      states.set(key, evolveAccountState(states.get(key), each, target.kind));
    }
  }
  const state = <K extends Kind>(kind: K, name = '', account = 'a') =>
    states.get(keyOf(kind, name, account)) as StateOf<K> | undefined;
  const viewOf = (account: string, used: readonly string[]): AccountView => ({
    account: () => state('account', '', account),
    application: (code) => state('application', code),
    token: (id) => state('token', id),
    tag: (name) => state('tag', name, account),
    testDevices: (of) => state('testDevices', of),
    campaign: (code) => state('campaign', code),
    campaignsNamed: () => [],
    geozone: () => undefined,
    geozoneCluster: () => undefined,
    preset: (code) => state('preset', code),
    filter: (name) => state('filter', name, account),
    hasFilter: () => true,
    isUsed: (code) => used.includes(code),
    address: (address) => state('address', address, account),
    group: (code) => state('group', code),
    usage: (owner) => state('usage', owner, account),
  });
  return {
    state,
    application: (): Application => state('application', app)!,
    token: (): AccessToken => state('token', 't1')!,
    when(action: AccountAction, { account = 'a', at = AT, used = [] }: Circumstances = {}) {
      const decision = () => decideAccount(account, viewOf(account, used), action, { at, quotas: defaultQuotas });
      return {
        then: (...events: readonly AccountEvent[]) => expect(decision()).toEqual(events),
        thenRefused: (message: string) => expect(decision).toThrow(message),
      };
    },
  };
}
