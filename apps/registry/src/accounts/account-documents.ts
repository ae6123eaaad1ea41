import { type AccountState, ownerOf } from '@tidings/audience';
import { fieldsOf } from '@tidings/event-store';
import { Geozone, Preset } from '@tidings/events';
import { bytesOf } from '@tidings/mongo';
import { ACCOUNTS, ADDRESSES, applicationIn, APPLICATIONS, TAGS, TEST_DEVICES } from '@tidings/registry-store';
import type { Binary } from 'mongodb';
import { CAMPAIGNS, CLUSTERS, FILTERS, GEOZONES, GROUPS, PRESETS, TOKENS, USAGE } from './account-collections.ts';

type StateOf<Kind extends AccountState['kind']> = AccountState & { readonly kind: Kind };

export const accountFields = {
  [ACCOUNTS]: fieldsOf<StateOf<'account'>>({
    kind: true,
    name: true,
    createdAt: true,
    categories: true,
    emailOnly: true,
    senders: true,
    tagsMade: true,
    tagsDeleted: true,
    clearing: true,
  }),
  [APPLICATIONS]: fieldsOf<StateOf<'application'>>({
    kind: true,
    account: true,
    code: true,
    title: true,
    icon: true,
    sdkIos: true,
    sdkAndroid: true,
    authorizeAllTokens: true,
    debugUntil: true,
    platforms: true,
    controlBuckets: true,
    capping: true,
    atMostOnce: true,
    trackingOff: true,
    inboxTokenRequired: true,
    testDeviceTokenRequired: true,
    mailSenders: true,
    createdAt: true,
    deletedAt: true,
    purgedAt: true,
  }),
  [TOKENS]: fieldsOf<StateOf<'token'>>({
    kind: true,
    account: true,
    id: true,
    hash: true,
    scope: true,
    allApplications: true,
    applications: true,
    createdAt: true,
    revoked: true,
    expiresAt: true,
    rateLimit: true,
  }),
  [TAGS]: fieldsOf<StateOf<'tag'>>({
    kind: true,
    account: true,
    number: true,
    name: true,
    type: true,
    applicationSpecific: true,
    deleted: true,
  }),
  [CAMPAIGNS]: fieldsOf<StateOf<'campaign'>>({
    kind: true,
    account: true,
    code: true,
    id: true,
    application: true,
    name: true,
    description: true,
    named: true,
    deleted: true,
  }),
  [PRESETS]: fieldsOf<StateOf<'preset'> & { readonly owner: string; readonly name: string }>({
    kind: true,
    account: true,
    code: true,
    application: true,
    filter: true,
    preset: true,
    deleted: true,
    owner: true,
    name: true,
    number: true,
    unapproved: true,
  }),
  [TEST_DEVICES]: fieldsOf<StateOf<'testDevices'>>({
    kind: true,
    account: true,
    application: true,
    devices: true,
    nextPosition: true,
  }),
  [FILTERS]: fieldsOf<StateOf<'filter'>>({
    kind: true,
    account: true,
    live: true,
    code: true,
    name: true,
    text: true,
    expression: true,
    nesting: true,
    application: true,
    expiresAt: true,
    createdAt: true,
  }),
  [GROUPS]: fieldsOf<StateOf<'group'>>({
    kind: true,
    account: true,
    code: true,
    name: true,
    applications: true,
    createdAt: true,
  }),
  [GEOZONES]: fieldsOf<StateOf<'geozone'> & Record<'number' | 'application' | 'cluster' | 'place', unknown>>({
    kind: true,
    account: true,
    zone: true,
    deleted: true,
    number: true,
    application: true,
    cluster: true,
    place: true,
  }),
  [CLUSTERS]: fieldsOf<StateOf<'geozoneCluster'> & { readonly application: string }>({
    kind: true,
    account: true,
    cluster: true,
    deleted: true,
    application: true,
  }),
  [ADDRESSES]: fieldsOf<StateOf<'address'>>({
    kind: true,
    account: true,
    address: true,
    since: true,
    complained: true,
  }),
  [USAGE]: fieldsOf<StateOf<'usage'>>({
    kind: true,
    account: true,
    owner: true,
    applications: true,
    tags: true,
    presets: true,
    filters: true,
    geozones: true,
  }),
};

export const isCleared = (state: AccountState): boolean =>
  (state.kind === 'application' && state.deletedAt !== undefined) || (state.kind === 'filter' && !state.live);

export function documentOf(state: AccountState): Record<string, unknown> {
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
      const place = active && !state.deleted ? { type: 'Point', coordinates: [lng, lat] } : undefined;
      return { ...state, zone: Geozone.encode(state.zone).finish(), number: Number(id), application, cluster, place };
    }
    case 'geozoneCluster':
      return { ...state, application: state.cluster.application };
    default:
      return { ...state };
  }
}

export interface AccountDocument extends Record<string, unknown> {
  readonly _id: string;
}

export function stateOf(document: Readonly<Record<string, unknown>>): AccountState {
  const { _id, rev: _rev, ...state } = document;
  const read = state as unknown as AccountState;
  switch (read.kind) {
    case 'token':
      return { ...read, hash: bytesOf(read.hash) };
    case 'application':
      return applicationIn(state);
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
