import {
  CAPPING_DAYS_MAX,
  type CountedPage,
  emptyPage,
  firstDayNeeded,
  withoutSends,
  withSends,
} from '@tidings/delivery';
import type { DocumentAddress } from '@tidings/event-store';
import type { PlanEvent } from '@tidings/events';
import { Bitmap } from '@tidings/kernel';
import { COUNTED_PAGES, type CountedPageDocument, pageAt } from '@tidings/registry-store';
import type { Db } from 'mongodb';

export const COUNTED_KEPT_MS = (CAPPING_DAYS_MAX + 2) * 86_400_000;

export function pageOfEvent({ application, at, event }: PlanEvent): DocumentAddress | undefined {
  if (event?.$case === 'chunk' && event.value.counted && event.value.sendable.length > 0)
    return pageAt({ application, chunk: event.value.chunk }, at!.getTime());
  if (event?.$case === 'sendsFailed')
    return pageAt({ application, chunk: event.value.chunk }, event.value.plannedAt!.getTime());
  return undefined;
}

export function pageWith(page: CountedPage = emptyPage, { at, event }: PlanEvent): CountedPage {
  if (event?.$case === 'chunk') {
    const recipients = event.value.sendable.map(({ set }) => Bitmap.decode(set));
    return withSends(page, Bitmap.union(recipients), at!.getTime());
  }
  if (event?.$case !== 'sendsFailed') throw new Error(`counted sends: cannot apply ${event?.$case}`);
  return withoutSends(page, Bitmap.decode(event.value.set), event.value.plannedAt!.getTime());
}

export const countedPageDocument = ({ sends }: CountedPage, id: string): CountedPageDocument => ({
  day: Number(id.slice(id.lastIndexOf('/') + 1)),
  sends,
});

export async function removeOldPages(db: Db, now: Date, limit: number): Promise<number> {
  const pages = db.collection<{ _id: string }>(COUNTED_PAGES);
  const old = { day: { $lt: firstDayNeeded(now.getTime()) } };
  const found = await pages.find(old, { projection: { _id: 1 }, limit, hint: 'day' }).toArray();
  if (found.length > 0) await pages.deleteMany({ _id: { $in: found.map(({ _id }) => _id) } });
  return found.length;
}
