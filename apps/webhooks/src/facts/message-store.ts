import { sharedWrites } from '@tidings/coordination';
import { MessageAccepted, type MessageEvent } from '@tidings/events';
import { sendIdOf, SizedEntries } from '@tidings/kernel';
import { expiryOf } from '@tidings/messaging';
import { bytesOf, collectionOf, isTransient, type Update, updateAll } from '@tidings/mongo';
import type { Db } from 'mongodb';
import { KEPT_MS } from './delivery-document.ts';
import { type MessageDocument, messagesModel } from './facts.schema.ts';

const CACHED = 500;
/** As stored; events share about as much again per platform. */
const CACHED_BYTES = 32 * 1024 * 1024;
const AT_ONCE = 500;

export interface StoredMessage {
  readonly code: string;
  readonly bucket: number;
  readonly id: bigint;
  readonly account: string;
  readonly accepted: MessageAccepted;
}

export interface MessageStore {
  keep(events: readonly MessageEvent[]): Promise<void>;
  find(ids: Iterable<string>): Promise<ReadonlyMap<string, StoredMessage>>;
  removeExpired(now: Date): Promise<void>;
}

function acceptanceIn(event: MessageEvent['event']): {
  readonly bucket: number;
  readonly accepted?: MessageAccepted | undefined;
} {
  switch (event?.$case) {
    case 'accepted':
      return { bucket: 0, accepted: event.value };
    case 'joined':
      return { bucket: event.value.bucket, accepted: event.value.message };
    default:
      return { bucket: 0 };
  }
}

const endOf = ({ code, at }: MessageEvent): Update<MessageDocument>[] => [
  { q: { _id: code }, u: { $min: { expireAt: at! } } },
  { q: { _id: { $gt: `${code}/`, $lt: `${code}0` } }, u: { $min: { expireAt: at! } }, multi: true },
];

function writesOf(messageEvent: MessageEvent): Update<MessageDocument>[] {
  const { event } = messageEvent;
  return event?.$case === 'purged' && event.value.whole ? endOf(messageEvent) : acceptedWrites(messageEvent);
}

/** Most of a message, but in no event. */
function withoutAttachments(accepted: MessageAccepted): MessageAccepted {
  const { content } = accepted;
  if (!content?.email) return accepted;
  return { ...accepted, content: { ...content, email: { ...content.email, attachments: [] } } };
}

function acceptedWrites({ code, id, account, at, event }: MessageEvent): Update<MessageDocument>[] {
  const { bucket, accepted } = acceptanceIn(event);
  if (!accepted) return [];
  const document = {
    id: Number(id),
    account,
    accepted: MessageAccepted.encode(withoutAttachments(accepted)).finish(),
    expireAt: expiryOf(accepted, at!, KEPT_MS),
  };
  return [{ q: { _id: sendIdOf({ message: code, bucket }) }, u: { $setOnInsert: document }, upsert: true }];
}

const codeIn = (id: string): string => id.split('/')[0]!;
const bucketIn = (id: string): number => Number(id.split('/')[1] ?? 0);

function messageOf({ _id, id, account, accepted }: MessageDocument): StoredMessage {
  return {
    code: codeIn(_id),
    bucket: bucketIn(_id),
    id: BigInt(id),
    account,
    accepted: MessageAccepted.decode(accepted as Uint8Array),
  };
}

export function openMessages(db: Db): MessageStore {
  const messages = collectionOf(db, messagesModel);
  const cache = new SizedEntries<StoredMessage>({ atMost: CACHED, maxBytes: CACHED_BYTES });
  type Take = (id: string, message: StoredMessage, bytes: number) => void;
  const remember: Take = (id, message, bytes) => cache.set(id, message, { content: message.accepted, bytes });
  const read = async (ids: ReadonlySet<string>, take: Take): Promise<void> => {
    for await (const document of messages.find({ _id: { $in: [...ids] } }, { promoteBuffers: true })) {
      const message = messageOf(document);
      const bytes = bytesOf(document.accepted).length;
      remember(document._id, message, bytes);
      take(document._id, message, bytes);
    }
  };
  const keep = sharedWrites(
    (writes: readonly Update<MessageDocument>[]) => updateAll(db, messagesModel.name, writes, { ordered: true }),
    { mayBeOneItem: (error) => !isTransient(error) },
  );
  return {
    keep: (events) => keep(events.flatMap(writesOf)),
    async find(ids) {
      const found = new Map<string, StoredMessage>();
      const missing = new Set<string>();
      for (const id of ids) {
        const cached = cache.get(id);
        if (cached) found.set(id, cached);
        else missing.add(id);
      }
      if (missing.size === 0) return found;
      await read(missing, (id, message) => found.set(id, message));
      const steps = Map.groupBy(
        [...missing].filter((id) => !found.has(id) && id.includes('/')),
        codeIn,
      );
      if (steps.size === 0) return found;
      await read(new Set(steps.keys()), (code, message, bytes) => {
        if (!message.accepted.localTime) return;
        for (const id of steps.get(code)!) {
          const step = { ...message, bucket: bucketIn(id) };
          remember(id, step, bytes);
          found.set(id, step);
        }
      });
      return found;
    },
    async removeExpired(now) {
      // A cloned cursor would stay open for ever.
      const expired = () =>
        messages.find({ expireAt: { $lt: now } }, { projection: { _id: 1 }, limit: AT_ONCE }).toArray();
      for (let found = await expired(); found.length > 0; found = await expired()) {
        const codes = found.map(({ _id }) => _id);
        for (const code of codes) cache.delete(code);
        await messages.deleteMany({ _id: { $in: codes } });
      }
    },
  };
}
