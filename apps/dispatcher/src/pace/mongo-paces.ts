import { isDuplicateKey } from '@tidings/mongo';
import type { Collection } from 'mongodb';
import type { PaceStore, Reservation } from './pace.ts';

/** The reserved time of a message. `_id` is its code. */
export interface PaceDocument {
  readonly _id: string;
  /** End of the last reserved period, milliseconds since 1970. */
  readonly until: number;
}

/** Retention of paces after the end of their last period. */
export const PACES_KEPT_MS = 24 * 3_600_000;

/** Reservations by compare-and-set: one write each, and a read where another process has reserved meanwhile. */
export function mongoPaces(paces: Collection<PaceDocument>): PaceStore {
  return {
    async reserve(message, lengthMs, now, latest): Promise<Reservation> {
      for (;;) {
        const before = await paces.findOne({ _id: message });
        const from = Math.max(now, before?.until ?? 0);
        if (from > latest) return { nextFrom: from };
        if (await replaced(paces, message, before?.until, from + lengthMs)) return { from };
      }
    },
  };
}

async function replaced(
  paces: Collection<PaceDocument>,
  _id: string,
  before: number | undefined,
  until: number,
): Promise<boolean> {
  try {
    const filter = before === undefined ? { _id, until: { $exists: false } } : { _id, until: before };
    const { modifiedCount, upsertedCount } = await paces.updateOne(
      filter,
      { $set: { until } },
      { upsert: before === undefined },
    );
    return modifiedCount + upsertedCount > 0;
  } catch (error) {
    if (isDuplicateKey(error)) return false;
    throw error;
  }
}

/** Removes paces of messages without a push for a day. */
export async function forgetPaces(paces: Collection<PaceDocument>, now: number): Promise<void> {
  await paces.deleteMany({ until: { $lt: now - PACES_KEPT_MS } });
}
