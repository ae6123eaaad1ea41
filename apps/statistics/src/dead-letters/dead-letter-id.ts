import { createHash } from 'node:crypto';
import type { DeadLetter } from '@tidings/streaming';

const TIME_DIGITS = 9;
const RECORD_BYTES = 6;
const GROUP_BYTES = 3;

export const firstIdOf = (publishedMs: number): string =>
  `${Math.max(0, publishedMs).toString(36).padStart(TIME_DIGITS, '0')}-`;

type Origin = Pick<DeadLetter, 'topic' | 'partition' | 'offset' | 'group' | 'timestamp'>;

const hashOf = (text: string, bytes: number): string =>
  createHash('sha256').update(text).digest().toString('hex', 0, bytes);

/** Identifiers are in order of publication. */
export function deadLetterId({ topic, partition, offset, group, timestamp }: Origin): string {
  const record = hashOf(`${topic}/${partition}/${offset}`, RECORD_BYTES);
  return `${firstIdOf(timestamp)}${record}-${hashOf(group, GROUP_BYTES)}`;
}
