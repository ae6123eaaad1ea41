import type { DocumentAddress } from '@tidings/event-store';
import type { PlanEvent } from '@tidings/events';
import {
  CAPPING_DAYS_MAX,
  cappingDays,
  type ChunkKey,
  chunkRecordKey,
  type CountedPage,
  dayOf,
  devicesAtCap,
  emptyPage,
  firstDayNeeded,
  type FrequencyCap,
  idsBelow,
  withoutSends,
  withSends,
} from '@tidings/delivery';
import { Bitmap, chunkOf, positionOf, type Seq } from '@tidings/kernel';
import type { Binary, Db } from 'mongodb';
import { bytesOf } from '../../accounts/account-documents.ts';

export const COUNTED_PAGES = 'countedPages';
/** Retention of a page, from the beginning of its day. */
export const COUNTED_KEPT_MS = (CAPPING_DAYS_MAX + 2) * 86_400_000;

/** A stored page. `_id` is `<application>/<chunk>/<day>`. */
export interface CountedPageDocument {
  /** Number of the UTC day since 1970. */
  readonly day: number;
  readonly sends: readonly StoredSends[];
}

/** See {@link CountedSends}. */
export interface StoredSends {
  readonly from: number;
  readonly to: number;
  readonly digits: readonly (Binary | Uint8Array)[];
}

type Chunk = Pick<ChunkKey, 'application' | 'chunk'>;

const pageOfDay = (chunk: Chunk, day: number): DocumentAddress => ({
  collection: COUNTED_PAGES,
  id: `${chunkRecordKey(chunk)}/${day}`,
});

/** The page of a time, in milliseconds since 1970. */
export const pageAt = (chunk: Chunk, at: number): DocumentAddress => pageOfDay(chunk, dayOf(at));

/** The pages that decide on a send at this time. */
export const pagesOf = (chunk: Chunk, cap: FrequencyCap, at: number): DocumentAddress[] =>
  cappingDays(cap, at).map((day) => pageOfDay(chunk, day));

/** The page that an event changes, if any. */
export function pageOfEvent({ application, at, event }: PlanEvent): DocumentAddress | undefined {
  if (event?.$case === 'chunk' && event.value.counted && event.value.sendable.length > 0)
    return pageAt({ application, chunk: event.value.chunk }, at!.getTime());
  if (event?.$case === 'sendsFailed')
    return pageAt({ application, chunk: event.value.chunk }, event.value.plannedAt!.getTime());
  return undefined;
}

/** The page after an event. One that was removed meanwhile stays empty. */
export function pageWith(page: CountedPage = emptyPage, { at, event }: PlanEvent): CountedPage {
  if (event?.$case === 'chunk') {
    const sendable = event.value.sendable.map(({ set }) => Bitmap.decode(set));
    return withSends(page, Bitmap.union(sendable), at!.getTime());
  }
  if (event?.$case !== 'sendsFailed') throw new Error(`counted sends: cannot apply ${event?.$case}`);
  return withoutSends(page, Bitmap.decode(event.value.set), event.value.plannedAt!.getTime());
}

/** @param id the id of the document; its last part is the day */
export const countedPageDocument = ({ sends }: CountedPage, id: string): CountedPageDocument => ({
  day: Number(id.slice(id.lastIndexOf('/') + 1)),
  sends,
});

export const countedPage = ({ sends }: CountedPageDocument): CountedPage => ({
  sends: sends.map(({ from, to, digits }) => ({ from, to, digits: digits.map(bytesOf) })),
});

/** Whether a device has reached the cap, by the sends that are planned so far. */
export async function isAtCap(
  db: Db,
  { application, seq }: { readonly application: string; readonly seq: Seq },
  cap: FrequencyCap,
  at: number,
): Promise<boolean> {
  const ids = pagesOf({ application, chunk: chunkOf(seq) }, cap, at).map(({ id }) => id);
  const pages = db.collection<CountedPageDocument & { readonly _id: string }>(COUNTED_PAGES);
  const found = await pages.find({ _id: { $in: ids } }).toArray();
  return devicesAtCap(Uint16Array.of(positionOf(seq)), found.map(countedPage), cap, at).size > 0;
}

/** Removes the pages of a deleted application. Its logs of plans must be removed before: they would write them again. */
export async function removePagesOf(db: Db, application: string): Promise<void> {
  await db.collection<{ _id: string }>(COUNTED_PAGES).deleteMany({ _id: idsBelow(application) });
}

/** Removes up to `limit` pages that decide on no send any more; returns their number. */
export async function removeOldPages(db: Db, now: Date, limit: number): Promise<number> {
  const pages = db.collection<{ _id: string }>(COUNTED_PAGES);
  const old = { day: { $lt: firstDayNeeded(now.getTime()) } };
  const found = await pages.find(old, { projection: { _id: 1 }, limit, hint: 'day' }).toArray();
  if (found.length > 0) await pages.deleteMany({ _id: { $in: found.map(({ _id }) => _id) } });
  return found.length;
}
