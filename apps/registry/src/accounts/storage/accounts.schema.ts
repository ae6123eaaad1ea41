import type {
  AccessToken,
  ApplicationGroup,
  AddressState,
  CampaignState,
  GeozoneClusterState,
  LiveFilter,
  PresetState,
  UsageState,
} from '@tidings/audience';
import { defineStates } from '@tidings/event-store';
import {
  bytes,
  date,
  type Field,
  flag,
  list,
  mixed,
  type ModelDefinition,
  number,
  object,
  oneOf,
  optional,
  text,
} from '@tidings/mongo';
import { accountsModel, ADDRESSES, applicationsModel, tagsModel, testDevicesModel } from '@tidings/registry-store';
import type { Binary } from 'mongodb';
import { CAMPAIGNS, CLUSTERS, FILTERS, GEOZONES, GROUPS, PRESETS, TOKENS, USAGE } from '../account-collections.ts';

const withTheApplication = 'with the application';
const untilDeleted = `until it is deleted; its remaining data ${withTheApplication}`;
const kindOf = (kind: string): Field => oneOf(kind);

export const groupsModel = defineStates<ApplicationGroup>({
  name: GROUPS,
  retention: 'for ever',
  fields: {
    kind: kindOf('group'),
    account: text,
    code: text,
    name: text,
    applications: list(text),
    createdAt: date,
  },
  indexes: [
    { name: 'applications', key: { applications: 1 } },
    { name: 'account_created', key: { account: 1, createdAt: 1, _id: 1 } },
  ],
});

export const tokensModel = defineStates<AccessToken>({
  name: TOKENS,
  retention: 'for ever; a revoked token as its revocation',
  fields: {
    kind: kindOf('token'),
    account: text,
    id: text,
    hash: bytes,
    scope: number,
    allApplications: flag,
    applications: list(text),
    createdAt: date,
    revoked: flag,
    expiresAt: optional(date),
    rateLimit: optional(object<NonNullable<AccessToken['rateLimit']>>({ requests: number, seconds: number })),
  },
});

export const campaignsModel = defineStates<CampaignState>({
  name: CAMPAIGNS,
  retention: untilDeleted,
  fields: {
    kind: kindOf('campaign'),
    account: text,
    code: text,
    id: number,
    application: text,
    name: text,
    description: text,
    named: text,
    deleted: flag,
  },
  indexes: [
    { name: 'application_id', key: { application: 1, id: 1 } },
    { name: 'named', key: { named: 1 } },
  ],
});

type PresetDocument = Omit<PresetState, 'preset'> & {
  readonly preset: Binary | Uint8Array;
  readonly owner: string;
  readonly name: string;
};

export const presetsModel = defineStates<PresetDocument>({
  name: PRESETS,
  retention: untilDeleted,
  fields: {
    kind: kindOf('preset'),
    account: text,
    code: text,
    application: text,
    filter: text,
    preset: bytes,
    owner: text,
    name: text,
    number: optional(number),
    unapproved: optional(flag),
    deleted: flag,
  },
  indexes: [
    { name: 'owner_deleted_number', key: { owner: 1, deleted: 1, number: 1, _id: 1 } },
    { name: 'filter', key: { filter: 1 } },
  ],
});

type FilterDocument = Pick<LiveFilter, 'kind' | 'account'> &
  Partial<Omit<LiveFilter, 'kind' | 'account' | 'live'>> & { readonly live: boolean };

export const filtersModel = defineStates<FilterDocument>({
  name: FILTERS,
  retention: untilDeleted,
  fields: {
    kind: kindOf('filter'),
    account: text,
    live: flag,
    code: optional(text),
    name: optional(text),
    text: optional(text),
    expression: optional(bytes),
    nesting: optional(number),
    application: optional(text),
    expiresAt: optional(date),
    createdAt: optional(date),
  },
  indexes: [
    { name: 'code', key: { code: 1 } },
    { name: 'account_application_created', key: { account: 1, application: 1, createdAt: 1, _id: 1 } },
    { name: 'expiry', key: { expiresAt: 1 }, partialFilterExpression: { expiresAt: { $exists: true } } },
  ],
});

interface Point {
  readonly type: 'Point';
  readonly coordinates: readonly number[];
}

interface GeozoneDocument {
  readonly kind: 'geozone';
  readonly account: string;
  readonly zone: Binary | Uint8Array;
  readonly deleted: boolean;
  readonly number: number;
  readonly application: string;
  readonly cluster: string;
  readonly place?: Point;
}

export const CLUSTER_INDEX = 'application_cluster_deleted';

export const geozonesModel = defineStates<GeozoneDocument>({
  name: GEOZONES,
  retention: untilDeleted,
  fields: {
    kind: kindOf('geozone'),
    account: text,
    zone: bytes,
    deleted: flag,
    number,
    application: text,
    cluster: text,
    place: optional(object<Point>({ type: oneOf('Point'), coordinates: list(number) })),
  },
  indexes: [
    { name: 'application_deleted_number', key: { application: 1, deleted: 1, number: 1, _id: 1 } },
    { name: CLUSTER_INDEX, key: { application: 1, cluster: 1, deleted: 1 } },
    { name: 'application_place', key: { application: 1, place: '2dsphere' } },
  ],
});

export const clustersModel = defineStates<GeozoneClusterState & { readonly application: string }>({
  name: CLUSTERS,
  retention: untilDeleted,
  fields: {
    kind: kindOf('geozoneCluster'),
    account: text,
    cluster: object<GeozoneClusterState['cluster']>({
      code: text,
      application: text,
      name: text,
      cooldownSeconds: number,
      _unknownFields: optional(mixed),
    }),
    deleted: flag,
    application: text,
  },
  indexes: [{ name: 'application_deleted_rev', key: { application: 1, deleted: 1, rev: 1, _id: 1 } }],
});

export const addressesModel = defineStates<AddressState>({
  name: ADDRESSES,
  retention: 'until an operator clears it',
  fields: {
    kind: kindOf('address'),
    account: text,
    address: text,
    since: optional(date),
    complained: optional(date),
  },
  indexes: [
    {
      name: 'account_since',
      key: { account: 1, since: 1, _id: 1 },
      partialFilterExpression: { since: { $exists: true } },
    },
    {
      name: 'account_complained',
      key: { account: 1, complained: 1, _id: 1 },
      partialFilterExpression: { complained: { $exists: true } },
    },
  ],
});

export const usageModel = defineStates<UsageState>({
  name: USAGE,
  retention: withTheApplication,
  fields: {
    kind: kindOf('usage'),
    account: text,
    owner: text,
    applications: number,
    tags: number,
    presets: number,
    filters: number,
    geozones: number,
  },
});

export const accountModels: readonly ModelDefinition[] = [
  accountsModel,
  applicationsModel,
  tokensModel,
  tagsModel,
  campaignsModel,
  presetsModel,
  filtersModel,
  geozonesModel,
  clustersModel,
  groupsModel,
  testDevicesModel,
  usageModel,
  addressesModel,
];
