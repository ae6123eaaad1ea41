import type { ApplicationGroup, Orphans } from '@tidings/audience';
import { collectionOf, type ModelDefinition, modelOf } from '@tidings/mongo';
import { applicationsModel, testDevicesModel } from '@tidings/registry-store';
import type { Db, Document } from 'mongodb';
import {
  campaignsModel,
  clustersModel,
  filtersModel,
  geozonesModel,
  groupsModel,
  presetsModel,
  usageModel,
} from '../accounts/storage/accounts.schema.ts';

const AT_ONCE = 100;

async function endedGroups(db: Db, application: string): Promise<string[]> {
  const groups = await modelOf(db, groupsModel)
    .find({ applications: application }, { code: 1, applications: 1 })
    .lean<Pick<ApplicationGroup, 'code' | 'applications'>[]>();
  const members = groups.flatMap(({ applications }) => applications);
  const live = new Set(
    await modelOf(db, applicationsModel).distinct('_id', { _id: { $in: members }, deletedAt: { $exists: false } }),
  );
  return groups.filter((group) => !group.applications.some((code) => live.has(code))).map(({ code }) => code);
}

export async function findOrphans(db: Db, application: string): Promise<Orphans | undefined> {
  const found = async (
    states: ModelDefinition,
    field: string,
    filter: object,
    owner: object = { application },
  ): Promise<unknown[]> => {
    const documents = await modelOf(db, states)
      .find({ ...owner, ...filter })
      .select(field)
      .limit(AT_ONCE)
      .lean<Document[]>();
    return documents.map((document): unknown => document[field]);
  };
  const isThere = { deleted: false };
  const owners = { owner: { $in: [application, ...(await endedGroups(db, application))] } };
  const [presets, campaigns, filters, zones, clusters, testDevices] = await Promise.all([
    found(presetsModel, 'code', isThere, owners),
    found(campaignsModel, 'code', isThere),
    found(filtersModel, 'name', { live: true }),
    found(geozonesModel, 'number', isThere),
    found(clustersModel, '_id', isThere),
    found(testDevicesModel, '_id', { 'devices.0': { $exists: true } }),
  ]);
  const all = [presets, campaigns, filters, zones, clusters, testDevices];
  if (all.every(({ length }) => length === 0)) return undefined;
  return {
    presets: presets as string[],
    campaigns: campaigns as string[],
    filters: filters as string[],
    geozones: (zones as number[]).map(BigInt),
    clusters: clusters as string[],
  };
}

/** Natively, like every write to a state (ADR 29). */
export async function removeCleared(db: Db, account: string, application: string): Promise<void> {
  const owners = [application, ...(await endedGroups(db, application))];
  await collectionOf(db, presetsModel).deleteMany({ owner: { $in: owners }, deleted: true });
  for (const states of [campaignsModel, geozonesModel, clustersModel])
    await collectionOf<Document>(db, states).deleteMany({ application, deleted: true });
  await collectionOf(db, filtersModel).deleteMany({ application, live: false });
  await collectionOf(db, testDevicesModel).deleteMany({ application, 'devices.0': { $exists: false } });
  await collectionOf(db, usageModel).deleteOne({ _id: `${account}:${application}` });
}
