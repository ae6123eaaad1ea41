import type { ApplicationGroup, Orphans } from '@tidings/audience';
import type { Db } from 'mongodb';
import {
  APPLICATIONS,
  CAMPAIGNS,
  CLUSTERS,
  FILTERS,
  GEOZONES,
  GROUPS,
  PRESETS,
  TEST_DEVICES,
  USAGE,
} from '../accounts/account-collections.ts';

/** Maximum entities of each kind that one command removes. */
const AT_ONCE = 100;

/** The groups whose only remaining application is this one. */
async function endedGroups(db: Db, application: string): Promise<string[]> {
  const groups = await db.collection<ApplicationGroup>(GROUPS).find({ applications: application }).toArray();
  const members = groups.flatMap(({ applications }) => applications);
  const applications = db.collection<{ _id: string }>(APPLICATIONS);
  const live = new Set(await applications.distinct('_id', { _id: { $in: members }, deletedAt: { $exists: false } }));
  return groups.filter((group) => !group.applications.some((code) => live.has(code))).map(({ code }) => code);
}

/** Configuration of a deleted application in its account, or a part of it; undefined if none is left. */
export async function findOrphans(db: Db, application: string): Promise<Orphans | undefined> {
  const found = async (
    collection: string,
    field: string,
    filter: object,
    owner: object = { application },
  ): Promise<unknown[]> => {
    const projection = { [field]: 1 };
    const documents = db.collection(collection).find({ ...owner, ...filter }, { projection, limit: AT_ONCE });
    return (await documents.toArray()).map((document): unknown => document[field]);
  };
  const isThere = { deleted: false };
  const owners = { owner: { $in: [application, ...(await endedGroups(db, application))] } };
  const [presets, campaigns, filters, zones, clusters, testDevices] = await Promise.all([
    found(PRESETS, 'code', isThere, owners),
    found(CAMPAIGNS, 'code', isThere),
    found(FILTERS, 'name', { live: true }),
    found(GEOZONES, 'number', isThere),
    found(CLUSTERS, '_id', isThere),
    found(TEST_DEVICES, '_id', { 'devices.0': { $exists: true } }),
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

/** Removes the states of a deleted application's configuration once all of it is cleared. */
export async function removeCleared(db: Db, account: string, application: string): Promise<void> {
  const owners = [application, ...(await endedGroups(db, application))];
  await db.collection(PRESETS).deleteMany({ owner: { $in: owners }, deleted: true });
  for (const collection of [CAMPAIGNS, GEOZONES, CLUSTERS])
    await db.collection(collection).deleteMany({ application, deleted: true });
  await db.collection(FILTERS).deleteMany({ application, live: false });
  await db.collection(TEST_DEVICES).deleteMany({ application, 'devices.0': { $exists: false } });
  await db.collection<{ _id: string }>(USAGE).deleteOne({ _id: `${account}:${application}` });
}
