import { hash } from 'node:crypto';
import type { AccountTarget } from '@tidings/audience';
import type { DocumentAddress } from '@tidings/event-store';
import { ACCOUNTS, addressId, ADDRESSES, APPLICATIONS, TAGS, TEST_DEVICES } from '@tidings/registry-store';

export const TOKENS = 'tokens';
export const CAMPAIGNS = 'campaigns';
export const PRESETS = 'presets';
export const FILTERS = 'filters';
export const GROUPS = 'groups';
export const GEOZONES = 'geozones';
export const CLUSTERS = 'geozoneClusters';
export const USAGE = 'usage';

/** Ids contain a hash of the name, which is arbitrary text from callers. */
export const namedId = (account: string, name: string): string =>
  `${account}:${hash('sha256', name, 'base64url').slice(0, 22)}`;

const collections = {
  account: ACCOUNTS,
  application: APPLICATIONS,
  token: TOKENS,
  tag: TAGS,
  campaign: CAMPAIGNS,
  preset: PRESETS,
  testDevices: TEST_DEVICES,
  filter: FILTERS,
  group: GROUPS,
  geozone: GEOZONES,
  geozoneCluster: CLUSTERS,
  address: ADDRESSES,
  usage: USAGE,
} as const satisfies Record<AccountTarget['kind'], string>;

export const kinds: ReadonlyMap<string, AccountTarget['kind']> = new Map(
  (Object.entries(collections) as [AccountTarget['kind'], string][]).map(([kind, collection]) => [collection, kind]),
);

export const addressOf = (account: string, target: AccountTarget): DocumentAddress => ({
  collection: collections[target.kind],
  id: idOf(account, target),
});

function idOf(account: string, target: AccountTarget): string {
  switch (target.kind) {
    case 'account':
      return account;
    case 'application':
    case 'group':
    case 'campaign':
    case 'preset':
    case 'geozoneCluster':
      return target.code;
    case 'token':
      return target.id;
    case 'tag':
    case 'filter':
      return namedId(account, target.name);
    case 'testDevices':
      return target.application;
    case 'geozone':
      return String(target.number);
    case 'address':
      return addressId(account, target.address);
    case 'usage':
      return `${account}:${target.owner}`;
  }
}
