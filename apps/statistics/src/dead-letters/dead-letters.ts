import { every } from '@tidings/coordination';
import { trustedTime } from '@tidings/kernel';
import { transientAsFault } from '@tidings/mongo';
import type { DeadLetters, DeadLetterView } from '@tidings/rpc';
import type { ServiceDeps } from '@tidings/runtime';
import {
  type Broker,
  type DeadLetter,
  type DeadLetterReason,
  DEAD_LETTER_TOPIC,
  type InRecord,
  readDeadLetter,
} from '@tidings/streaming';
import type { DeadLetterDocument } from '../storage/dead-letters.schema.ts';
import { type DeadLetterFilter, type DeadLetterSummary, openDeadLetterStore } from './dead-letter-store.ts';
import { redrive } from './redrive.ts';

export const DEAD_LETTERS_GROUP = 'statistics.dead-letters';
const MAX_RECORDS = 50;
const EXPIRY_INTERVAL_MS = 60_000;
const MAX_PAGE = 500;

export interface DeadLetterService {
  readonly deadLetters: DeadLetters;
  close(): Promise<void>;
}

export async function openDeadLetters({
  db,
  clock,
  log,
  broker,
}: Pick<ServiceDeps, 'db' | 'clock' | 'log'> & { readonly broker: Broker }): Promise<DeadLetterService> {
  const store = openDeadLetterStore(db);
  const read = ({ partition, offset, value }: InRecord): DeadLetter[] => {
    try {
      return [readDeadLetter(value)];
    } catch (err) {
      log.error({ err, partition, offset }, 'a record of the topic of dead letters cannot be read, and is passed over');
      return [];
    }
  };
  // `consume` would publish records that fail here as further dead letters, for ever.
  const subscription = await broker.subscribe({
    group: DEAD_LETTERS_GROUP,
    topics: [DEAD_LETTER_TOPIC],
    maxRecords: MAX_RECORDS,
    async handler({ records }) {
      const deadLetters = records.flatMap(read);
      if (deadLetters.length > 0) await transientAsFault(() => store.add(deadLetters));
    },
  });
  const expiry = every(EXPIRY_INTERVAL_MS, () => store.expire(new Date(trustedTime(clock))), {
    name: 'expiry of dead letters',
    log,
  });
  return {
    deadLetters: {
      async listDeadLetters({ filter, redriven, after, limit }) {
        const found = await store.list(filterOf(filter), { after, limit: pageOf(limit) }, redriven);
        return { deadLetters: found.map(viewOf) };
      },
      async findDeadLetter({ id }) {
        const [found] = await store.read([id]);
        return { deadLetter: found && viewOf(found) };
      },
      async redrive({ ids, filter, after, limit }) {
        const selected = { ...filterOf(filter), ...(ids.length > 0 && { ids }) };
        const { next = '', ...done } = await redrive({ store, broker, now: () => new Date(clock.now()) }, selected, {
          after,
          limit: pageOf(limit),
        });
        return { redriven: done.redriven, stuck: [...done.stuck], next };
      },
    },
    async close() {
      await Promise.all([subscription.stop(), expiry.stop()]);
    },
  };
}

const pageOf = (limit: number): number => Math.min(limit || MAX_PAGE, MAX_PAGE);

const filterOf = (given: { topic: string; group: string; reason: string } | undefined): DeadLetterFilter => ({
  topic: given?.topic || undefined,
  group: given?.group || undefined,
  reason: (given?.reason || undefined) as DeadLetterReason | undefined,
});

const viewOf = (stored: DeadLetterSummary & Partial<DeadLetterDocument>): DeadLetterView => ({
  id: stored._id,
  reason: stored.reason,
  error: stored.error,
  group: stored.group,
  topic: stored.topic,
  partition: stored.partition,
  offset: BigInt(stored.offset),
  key: stored.key,
  publishedAt: stored.publishedAt,
  payloadBytes: BigInt(stored.payloadBytes),
  cutSha256: stored.cutSha256 ?? '',
  redrivenAt: stored.redrivenAt,
  headers: stored.headers ?? {},
  payload: Buffer.from(stored.payload?.buffer ?? []),
});
