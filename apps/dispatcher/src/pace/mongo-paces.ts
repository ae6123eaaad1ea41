import { CLOCKS_AGREE_MS } from '@tidings/kernel';
import { isDuplicateKey } from '@tidings/mongo';
import type { Collection } from 'mongodb';
import type { PaceStore, Reservation } from './pace.ts';

export interface PaceDocument {
  readonly _id: string;
  readonly until: number;
}

const LENGTHS_DIFFER_MS = 1_000;
export const PACES_KEPT_MS = 24 * 3_600_000;

/** A later end than `last` was reserved before the clock was set back. */
export const beginAfter = (until = 0, now: number, last: number): number =>
  until > last + LENGTHS_DIFFER_MS + CLOCKS_AGREE_MS ? now : Math.max(now, until);

export function mongoPaces(paces: Collection<PaceDocument>): PaceStore {
  return {
    async reserve(message, lengthMs, now, latest): Promise<Reservation> {
      for (;;) {
        const before = await paces.findOne({ _id: message });
        const from = beginAfter(before?.until, now, latest + lengthMs);
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

export async function forgetPaces(paces: Collection<PaceDocument>, now: number): Promise<void> {
  await paces.deleteMany({ until: { $lt: now - PACES_KEPT_MS } });
}
