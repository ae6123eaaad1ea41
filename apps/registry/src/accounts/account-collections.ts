import { hash } from 'node:crypto';
import type { AccountTarget } from '@tidings/audience';
import type { DocumentAddress } from '@tidings/event-store';

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

/** Ids of tags and filters contain a hash of the name, which is arbitrary text from callers. */
export const namedId = (account: string, name: string): string =>
  `${account}:${hash('sha256', name, 'base64url').slice(0, 22)}`;

/** The id of an e-mail address's state in an account, from the keyed hash of the address. */
export const addressId = (account: string, address: string): string => `${account}:${address}`;

/** The document of a target. */
export function addressOf(account: string, target: AccountTarget): DocumentAddress {
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

/** The kinds of states by collection. */
export const kinds: Readonly<Record<string, AccountTarget['kind']>> = {
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
