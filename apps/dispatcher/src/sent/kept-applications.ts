import type { Clock } from '@tidings/kernel';
import { isDuplicateKey, type Update, updateAll } from '@tidings/mongo';
import type { Collection, Db } from 'mongodb';
import { KEEP_VALUES_MS, type KeptApplicationDocument } from './sent-values-documents.ts';
import { reached } from '../unavailable.ts';

/** Subscriptions are answered only after this time. */
export const KNOWN_MS = 250;

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
  let known: { readonly asOf: number; readonly ids: Promise<ReadonlySet<string>> } | undefined;
  const read = async (): Promise<ReadonlySet<string>> => {
    const found = await kept.find({ expireAt: { $gt: new Date(clock.now()) } }, { projection: { _id: 1 } }).toArray();
    return new Set(found.map(({ _id }) => _id));
  };
  const ids = (): Promise<ReadonlySet<string>> => {
    const now = performance.now();
    if (!known || now - known.asOf >= KNOWN_MS) {
      known = { asOf: now, ids: read() };
      known.ids.catch(() => (known = undefined));
    }
    return known.ids;
  };
  return {
    async keep(account, applications) {
      const expireAt = new Date(clock.now() + KEEP_VALUES_MS);
      const updates = idsOf(account, applications).map((_id): Update<KeptApplicationDocument> => ({
        q: { _id },
        u: { $max: { expireAt } },
        upsert: true,
      }));
      await reached(repeatedIfRaced(() => updateAll(db, kept.collectionName, updates)));
      known = undefined;
    },
    async has(account, application) {
      const found = await reached(ids());
      return found.has(application) || found.has(`${account}/`);
    },
  };
}
