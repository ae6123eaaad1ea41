import { devicesAtCap, type FrequencyCap } from '@tidings/delivery';
import { chunkOf, positionOf, type Seq } from '@tidings/kernel';
import { COUNTED_PAGES, countedPage, type CountedPageDocument, pagesOf } from '@tidings/registry-store';
import type { Db } from 'mongodb';

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
