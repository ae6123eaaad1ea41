import type { Clock } from '@tidings/kernel';
import { isDuplicateKey, type Update, updateAll } from '@tidings/mongo';
import type { Collection, Db } from 'mongodb';
import { KEEP_VALUES_MS, type KeptApplicationDocument } from './sent-values-documents.ts';
import { storeAsFault } from '../unavailable.ts';

/** Subscriptions are answered only after this time. */
export const CACHE_MAX_AGE_MS = 250;

export interface KeptApplications {
  /** Values are kept from 250 ms on, for 72 hours; no applications = all. */
  keep(account: string, applications: readonly string[]): Promise<void>;
  has(account: string, application: string): Promise<boolean>;
}

const idsOf = (account: string, applications: readonly string[]): readonly string[] =>
  applications.length === 0 ? [`${account}/`] : applications;

async function repeatedIfRaced<T>(write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (isDuplicateKey(error)) return write();
    throw error;
  }
}

export function openKeptApplications(
  db: Db,
  kept: Collection<KeptApplicationDocument>,
  clock: Clock,
): KeptApplications {
  let cached: { readonly asOf: number; readonly ids: Promise<ReadonlySet<string>> } | undefined;
  const read = async (): Promise<ReadonlySet<string>> => {
    const found = await kept.find({ expireAt: { $gt: new Date(clock.now()) } }, { projection: { _id: 1 } }).toArray();
    return new Set(found.map(({ _id }) => _id));
  };
  const ids = (): Promise<ReadonlySet<string>> => {
    const now = performance.now();
    if (!cached || now - cached.asOf >= CACHE_MAX_AGE_MS) {
      cached = { asOf: now, ids: read() };
      cached.ids.catch(() => (cached = undefined));
    }
    return cached.ids;
  };
  return {
    async keep(account, applications) {
      const expireAt = new Date(clock.now() + KEEP_VALUES_MS);
      const updates = idsOf(account, applications).map((_id): Update<KeptApplicationDocument> => ({
        q: { _id },
        u: { $max: { expireAt } },
        upsert: true,
      }));
      await storeAsFault(repeatedIfRaced(() => updateAll(db, kept.collectionName, updates)));
      cached = undefined;
    },
    async has(account, application) {
      const found = await storeAsFault(ids());
      return found.has(application) || found.has(`${account}/`);
    },
  };
}
