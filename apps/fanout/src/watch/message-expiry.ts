import { idsBelow } from '@tidings/delivery';
import { FANOUTS, PLANS } from '@tidings/registry-store';
import type { Db } from 'mongodb';
import type { OutgoingMessages } from '../release/outgoing.ts';
import { removeOldPages } from '../plan/counted-pages.ts';
import { PLANNED_DEVICES } from '../plan/planned-devices.ts';
import { SLICE_STATUSES } from '../emit/slice-statuses.ts';

const AT_ONCE = 100;

/** The message goes last, so that an interrupted removal is repeated. MongoDB's TTL does not know the system's clock. */
export async function removeExpired(
  db: Db,
  outgoing: OutgoingMessages,
  now: Date,
  signal?: AbortSignal,
): Promise<void> {
  await inSteps(
    () => outgoing.expired(now, AT_ONCE),
    async (codes) => {
      await removePlanned(db, codes);
      await outgoing.remove(codes, now);
    },
    signal,
  );
  await inSteps(
    () => outgoing.dueMarkers(now, AT_ONCE),
    async (codes) => {
      await removePlanned(db, codes);
      await outgoing.removeMarkers(codes);
    },
    signal,
  );
  while (!signal?.aborted && (await removeOldPages(db, now, AT_ONCE)) === AT_ONCE);
}

async function inSteps(
  find: () => Promise<readonly string[]>,
  remove: (codes: readonly string[]) => Promise<void>,
  signal: AbortSignal | undefined,
): Promise<void> {
  for (let codes = await find(); codes.length > 0 && !signal?.aborted; codes = await find()) await remove(codes);
}

async function removePlanned(db: Db, codes: readonly string[]): Promise<void> {
  for (const code of codes) {
    const ofMessage = { _id: idsBelow(code) };
    const collections = [SLICE_STATUSES, PLANS, PLANNED_DEVICES, FANOUTS].map((name) =>
      db.collection<{ _id: string }>(name),
    );
    await Promise.all(collections.map((collection) => collection.deleteMany(ofMessage)));
  }
}
