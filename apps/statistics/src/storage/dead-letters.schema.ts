import { bytes, date, defineModel, inDays, number, optional, record, text } from '@tidings/mongo';
import type { DeadLetter } from '@tidings/streaming';
import type { Binary } from 'mongodb';

export const DEAD_LETTERS_KEPT_MS = 30 * 86_400_000;

export interface DeadLetterDocument extends Omit<DeadLetter, 'timestamp' | 'payload' | 'cut'> {
  readonly _id: string;
  readonly publishedAt: Date;
  readonly payload: Binary;
  readonly payloadBytes: number;
  readonly cutSha256?: string;
  readonly redrivenAt?: Date;
}

export const deadLettersModel = defineModel<DeadLetterDocument>({
  name: 'deadLetters',
  retention: `${inDays(DEAD_LETTERS_KEPT_MS)} from the publication of the record`,
  fields: {
    _id: text,
    reason: text,
    error: text,
    group: text,
    topic: text,
    partition: number,
    offset: number,
    key: text,
    headers: optional(record(text)),
    publishedAt: date,
    payload: bytes,
    payloadBytes: number,
    cutSha256: optional(text),
    redrivenAt: optional(date),
  },
  indexes: [{ name: 'redrivenAt', key: { redrivenAt: 1, _id: 1 } }],
});
