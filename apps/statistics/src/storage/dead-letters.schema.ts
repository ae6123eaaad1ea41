import { bytes, date, defineModel, inDays, number, optional, record, text } from '@tidings/mongo';
import type { DeadLetter } from '@tidings/streaming';
import type { Binary } from 'mongodb';

/** Retention of dead letters: the same as in their topic. */
export const DEAD_LETTERS_KEPT_MS = 30 * 86_400_000;

/** A record that a consumer group could not handle. */
export interface DeadLetterDocument extends Omit<DeadLetter, 'timestamp' | 'payload' | 'cut'> {
  /** Identifiers order documents by the time at which the record was published. */
  readonly _id: string;
  readonly publishedAt: Date;
  readonly payload: Binary;
  /** Size of the whole payload: of a truncated one, more than is stored. */
  readonly payloadBytes: number;
  /** SHA-256 of the whole payload, if only its beginning was kept. */
  readonly cutSha256?: string;
  readonly redrivenAt?: Date;
}

/** Dead letters of all topics: written natively, for payloads are bytes of up to 8 MiB. */
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
