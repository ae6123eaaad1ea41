import { MessageAccepted, type MessageEvent } from '@tidings/events';
import type { AnyBulkWriteOperation, Binary, Db } from 'mongodb';

const DAY_MS = 86_400_000;
/** Events are told of a message as long as rows per device are kept, and of a hidden one as long as its reports (R-LM3, R-I6). */
export const KEPT_MS = 30 * DAY_MS;
const HIDDEN_KEPT_MS = 7 * DAY_MS;
const CACHED = 500;

/** A message as its events show it. */
export interface KnownMessage {
  readonly code: string;
  readonly id: bigint;
  readonly account: string;
  readonly accepted: MessageAccepted;
}

interface MessageDocument {
  readonly _id: string;
  readonly id: number;
  readonly account: string;
  readonly accepted: Binary | Uint8Array;
  readonly expireAt: Date;
}

/** The service's own copy of what messages say. */
export interface MessageStore {
  /** Takes over messages that were accepted; may be repeated. */
  keep(events: readonly MessageEvent[]): Promise<void>;
  /** Those of the messages that are known, by code. */
  find(codes: Iterable<string>): Promise<ReadonlyMap<string, KnownMessage>>;
  removeExpired(now: Date): Promise<void>;
}

function writeOf({ code, id, account, at, event }: MessageEvent): AnyBulkWriteOperation<MessageDocument>[] {
  if (event?.$case !== 'accepted') return [];
  const { hidden, sendAt } = event.value;
  const from = Math.max(at!.getTime(), sendAt?.getTime() ?? 0);
  const kept = {
    id: Number(id),
    account,
    accepted: MessageAccepted.encode(event.value).finish(),
    expireAt: new Date(from + (hidden ? HIDDEN_KEPT_MS : KEPT_MS)),
  };
  return [{ updateOne: { filter: { _id: code }, update: { $setOnInsert: kept }, upsert: true } }];
}

const messageOf = ({ _id, id, account, accepted }: MessageDocument): KnownMessage => ({
  code: _id,
  id: BigInt(id),
  account,
  accepted: MessageAccepted.decode(accepted as Uint8Array),
});

export async function openMessages(db: Db): Promise<MessageStore> {
  const messages = db.collection<MessageDocument>('messages');
  await messages.createIndex({ expireAt: 1 }, { name: 'expireAt' });
  /** What a message says does not change. */
  const cache = new Map<string, KnownMessage>();
  const remember = (message: KnownMessage): void => {
    if (cache.size >= CACHED) cache.delete(cache.keys().next().value!);
    cache.set(message.code, message);
  };
  return {
    async keep(events) {
      const writes = events.flatMap(writeOf);
      if (writes.length > 0) await messages.bulkWrite(writes, { ordered: false });
    },
    async find(codes) {
      const found = new Map<string, KnownMessage>();
      const missing = new Set<string>();
      for (const code of codes) {
        const cached = cache.get(code);
        if (cached) found.set(code, cached);
        else missing.add(code);
      }
      if (missing.size === 0) return found;
      const stored = messages.find({ _id: { $in: [...missing] } }, { promoteBuffers: true });
      for await (const document of stored) {
        const message = messageOf(document);
        remember(message);
        found.set(message.code, message);
      }
      return found;
    },
    async removeExpired(now) {
      await messages.deleteMany({ expireAt: { $lt: now } });
    },
  };
}
