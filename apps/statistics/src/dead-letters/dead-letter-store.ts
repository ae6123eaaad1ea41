import { collectionOf, isDuplicateKey } from '@tidings/mongo';
import type { DeadLetter, DeadLetterReason } from '@tidings/streaming';
import { Binary, type Db, type Filter, MongoBulkWriteError } from 'mongodb';
import { DEAD_LETTERS_KEPT_MS, type DeadLetterDocument, deadLettersModel } from '../storage/dead-letters.schema.ts';
import { deadLetterId, firstIdOf } from './dead-letter-id.ts';

export interface DeadLetterFilter {
  readonly ids?: readonly string[] | undefined;
  readonly topic?: string | undefined;
  readonly group?: string | undefined;
  readonly reason?: DeadLetterReason | undefined;
}

export interface Page {
  readonly after: string;
  readonly limit: number;
}

export type DeadLetterSummary = Omit<DeadLetterDocument, 'headers' | 'payload'>;

export interface DeadLetterStore {
  add(deadLetters: readonly DeadLetter[]): Promise<void>;
  list(filter: DeadLetterFilter, page: Page, redriven: boolean): Promise<DeadLetterSummary[]>;
  read(ids: readonly string[]): Promise<DeadLetterDocument[]>;
  redriven(ids: readonly string[], at: Date): Promise<void>;
  expire(now: Date): Promise<void>;
}

export function openDeadLetterStore(db: Db): DeadLetterStore {
  const stored = collectionOf(db, deadLettersModel);
  return {
    async add(deadLetters) {
      try {
        await stored.insertMany(deadLetters.map(documentOf), { ordered: false });
      } catch (error) {
        if (!areDuplicates(error)) throw error;
      }
    },
    list(filter, { after, limit }, redriven) {
      const found = stored.find(
        { ...filterOf(filter, after), redrivenAt: { $exists: redriven } },
        { projection: { headers: 0, payload: 0 } },
      );
      return found.sort({ _id: 1 }).limit(limit).toArray();
    },
    read: (ids) =>
      stored
        .find({ _id: { $in: [...ids] } })
        .sort({ _id: 1 })
        .toArray(),
    async redriven(ids, redrivenAt) {
      await stored.updateMany({ _id: { $in: [...ids] } }, { $set: { redrivenAt } });
    },
    async expire(now) {
      await stored.deleteMany({ _id: { $lt: firstIdOf(now.getTime() - DEAD_LETTERS_KEPT_MS) } });
    },
  };
}

function filterOf({ ids, topic, group, reason }: DeadLetterFilter, after: string): Filter<DeadLetterDocument> {
  return {
    _id: { $gt: after, ...(ids && { $in: [...ids] }) },
    ...(topic !== undefined && { topic }),
    ...(group !== undefined && { group }),
    ...(reason !== undefined && { reason }),
  };
}

const areDuplicates = (error: unknown): boolean =>
  error instanceof MongoBulkWriteError ? [error.writeErrors].flat().every(isDuplicateKey) : isDuplicateKey(error);

function documentOf(deadLetter: DeadLetter): DeadLetterDocument {
  const { timestamp, payload, headers, cut, ...origin } = deadLetter;
  return {
    _id: deadLetterId(deadLetter),
    ...origin,
    publishedAt: new Date(timestamp),
    payload: new Binary(payload),
    payloadBytes: cut?.payloadBytes ?? payload.length,
    ...(headers && { headers }),
    ...(cut && { cutSha256: cut.sha256 }),
  };
}
