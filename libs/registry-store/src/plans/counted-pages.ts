import {
  cappingDays,
  type ChunkKey,
  chunkRecordKey,
  type CountedPage,
  dayOf,
  type FrequencyCap,
} from '@tidings/delivery';
import type { DocumentAddress } from '@tidings/event-store';
import { bytesOf } from '@tidings/mongo';
import type { Binary } from 'mongodb';
import { COUNTED_PAGES } from './plan-collections.ts';

export interface CountedPageDocument {
  readonly day: number;
  readonly sends: readonly StoredSends[];
}

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

export const pageAt = (chunk: Chunk, at: number): DocumentAddress => pageOfDay(chunk, dayOf(at));

export const pagesOf = (chunk: Chunk, cap: FrequencyCap, at: number): DocumentAddress[] =>
  cappingDays(cap, at).map((day) => pageOfDay(chunk, day));

export const countedPage = ({ sends }: CountedPageDocument): CountedPage => ({
  sends: sends.map(({ from, to, digits }) => ({ from, to, digits: digits.map(bytesOf) })),
});
