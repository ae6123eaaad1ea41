import { idsOfMessage, type Lane } from '@tidings/delivery';
import { MessageAccepted, type MessageEvent } from '@tidings/events';
import { type Clock, sendIdOf } from '@tidings/kernel';
import type { Lookup } from '@tidings/segments';
import type { AnyBulkWriteOperation, Binary, Collection, Db } from 'mongodb';
import { bytesOf } from '../../accounts/account-log.ts';
import type { MessageIdentity } from '../plan/plans.ts';

export const OUTGOING = 'outgoing';

const DAY_MS = 86_400_000;
/** How long plans are kept: as long as statistics are, and those of hidden messages as long as their reports (R-I6, R-LM3). */
export const KEPT_MS = 365 * DAY_MS;
export const HIDDEN_KEPT_MS = 7 * DAY_MS;
/** No fact is delivered any more that is older: topics of facts hold them for 7 days. */
export const LATE_MS = 8 * DAY_MS;
/** When the watchdog looks at a message that was released and is not completed yet. */
const FIRST_CHECK_MS = 5_000;
const CACHED = 500;

/** A message on its way, as the fan-out keeps it. */
export interface OutgoingDocument {
  /** The message's code, with the bucket where somebody has joined it: of `sendIdOf`. */
  readonly _id: string;
  readonly id: number;
  readonly account: string;
  /** What is sent: the event `MessageAccepted`. */
  readonly accepted: Binary | Uint8Array;
  readonly acceptedAt: Date;
  readonly releasedAt?: Date;
  /** What scans of an application look up: chosen once. */
  readonly lookups?: Readonly<Record<string, Lookup>>;
  /** When the watchdog looks next; absent = nothing is open. */
  readonly checkAt?: Date;
  /** When it is removed, with everything that was planned for it. */
  readonly expireAt: Date;
}

/** What is left of a removed message: facts that arrive late may have made something that belongs to it. */
export interface RemovedDocument {
  readonly _id: string;
  /** When that is removed too. */
  readonly removeAt: Date;
}

export interface Outgoing extends MessageIdentity {
  /** 0, or who joined it. */
  readonly bucket: number;
  readonly accepted: MessageAccepted;
  /** Undefined while it is not released. */
  readonly releasedAt: Date | undefined;
  /** From then on nobody knows it any more, whether it was removed yet or not. */
  readonly expireAt: Date;
}

export type Released = Outgoing & { readonly releasedAt: Date };

export const isReleased = (message: Outgoing): message is Released => message.releasedAt !== undefined;

const identityOf = ({ code, id, account }: MessageEvent): MessageIdentity => ({
  message: code,
  messageId: id,
  account,
});

/** Where a message travels. */
export const laneOf = ({ accepted }: Outgoing): Lane =>
  accepted.audience?.target?.$case === 'named' ? 'direct' : 'broadcast';

function outgoingOf(stored: OutgoingDocument): Outgoing {
  const [message, bucket] = stored._id.split('/');
  return {
    message: message!,
    bucket: Number(bucket ?? 0),
    messageId: BigInt(stored.id),
    account: stored.account,
    accepted: MessageAccepted.decode(bytesOf(stored.accepted)),
    releasedAt: stored.releasedAt,
    expireAt: stored.expireAt,
  };
}

const expiryOf = ({ hidden, sendAt }: MessageAccepted, acceptedAt: Date): Date =>
  new Date(Math.max(acceptedAt.getTime(), sendAt?.getTime() ?? 0) + (hidden ? HIDDEN_KEPT_MS : KEPT_MS));

const firstCheck = (releasedAt: Date): Date => new Date(releasedAt.getTime() + FIRST_CHECK_MS);

/** The writes that an event of a message's life comes to. */
function writesOf({ code, id, account, at, event }: MessageEvent): AnyBulkWriteOperation<OutgoingDocument>[] {
  const filter = { _id: code };
  const keptOf = (accepted: MessageAccepted) => ({
    id: Number(id),
    account,
    accepted: MessageAccepted.encode(accepted).finish(),
    acceptedAt: at!,
    expireAt: expiryOf(accepted, at!),
  });
  switch (event?.$case) {
    case 'accepted':
      // Of a message that recipients join, what each is sent is kept.
      if (event.value.openUntil) return [];
      return [{ updateOne: { filter, update: { $setOnInsert: keptOf(event.value) }, upsert: true } }];
    case 'joined': {
      const joined = { ...keptOf(event.value.message!), releasedAt: at!, checkAt: firstCheck(at!) };
      const _id = sendIdOf({ message: code, bucket: event.value.bucket });
      return [{ updateOne: { filter: { _id }, update: { $setOnInsert: joined }, upsert: true } }];
    }
    case 'released':
      return [{ updateOne: { filter, update: { $min: { releasedAt: at! }, $set: { checkAt: firstCheck(at!) } } } }];
    case 'completed':
    case 'failed':
    case 'canceled':
      return [{ updateOne: { filter, update: { $unset: { checkAt: true } } } }];
    case 'purged': {
      if (!event.value.whole) return [];
      // A removed one has no time to expire at.
      const kept = { expireAt: { $exists: true } };
      const update = { $min: { expireAt: at! }, $unset: { checkAt: true as const } };
      return [
        { updateOne: { filter: { ...filter, ...kept }, update } },
        { updateMany: { filter: { _id: idsOfMessage(code), ...kept }, update } },
      ];
    }
    case undefined:
      return [];
  }
}

const releasedOf = (event: MessageEvent, accepted: MessageAccepted, releasedAt: Date): Released => ({
  ...identityOf(event),
  bucket: event.event?.$case === 'joined' ? event.event.value.bucket : 0,
  accepted,
  releasedAt,
  expireAt: expiryOf(accepted, event.at!),
});

/** The fan-out's own copy of the messages that are not done yet, and of those whose plans are still there. */
export class OutgoingMessages {
  readonly #messages: Collection<OutgoingDocument>;
  readonly #clock: Clock;
  /** Released messages, whose content never changes. Another process may have purged or removed one since. */
  readonly #cache = new Map<string, Outgoing>();

  constructor(db: Db, clock: Clock) {
    this.#clock = clock;
    this.#messages = db.collection<OutgoingDocument>(OUTGOING);
  }

  /** Takes over what happened to messages; may be repeated. */
  async keep(events: readonly MessageEvent[]): Promise<void> {
    const writes = events.flatMap(writesOf);
    if (writes.length > 0) await this.#messages.bulkWrite(writes, { ordered: true });
  }

  /** The messages that these events release, as far as they are known here. Those accepted by the same events are not read. */
  async released(events: readonly MessageEvent[]): Promise<readonly Released[]> {
    const found: Released[] = [];
    const missing: string[] = [];
    for (const joining of events) {
      const { code, at, event } = joining;
      if (event?.$case === 'joined') found.push(this.#remember(releasedOf(joining, event.value.message!, at!)));
      if (event?.$case !== 'released') continue;
      const accepted = events.find((other) => other.code === code && other.event?.$case === 'accepted');
      if (accepted?.event?.$case !== 'accepted') missing.push(code);
      else if (!accepted.event.value.openUntil)
        found.push(this.#remember(releasedOf(accepted, accepted.event.value, at!)));
    }
    for (const message of (await this.find(missing)).values()) if (isReleased(message)) found.push(message);
    return found;
  }

  /** The messages with these ids (of `sendIdOf`), as far as they are known here and have not expired. */
  async find(ids: readonly string[]): Promise<ReadonlyMap<string, Outgoing>> {
    const found = new Map<string, Outgoing>();
    const missing = new Set<string>();
    const now = new Date(this.#clock.now());
    for (const id of ids) {
      const cached = this.#cache.get(id);
      if (!cached) missing.add(id);
      else if (cached.expireAt > now) found.set(id, cached);
    }
    if (missing.size > 0) {
      for await (const stored of this.#messages.find({ _id: { $in: [...missing] }, expireAt: { $gt: now } })) {
        found.set(stored._id, this.#remember(outgoingOf(stored)));
      }
    }
    return found;
  }

  /** Asks the store, not the cache: another process may have purged a remembered message with its application (R-B2). */
  async hasStored(ids: readonly string[]): Promise<boolean> {
    const kept = { _id: { $in: [...ids] }, expireAt: { $gt: new Date(this.#clock.now()) } };
    return (await this.#messages.findOne(kept, { projection: { _id: 1 } })) !== null;
  }

  #remember<M extends Outgoing>(message: M): M {
    if (!isReleased(message)) return message;
    if (this.#cache.size >= CACHED) this.#cache.delete(this.#cache.keys().next().value!);
    this.#cache.set(sendIdOf(message), message);
    return message;
  }

  /** What the scans of a message in an application look up. Several may choose at once; the first choice stays. */
  async lookupOf(code: string, application: string, choose: () => Promise<Lookup>): Promise<Lookup> {
    const field = `lookups.${application}`;
    const stored = async (): Promise<Lookup | undefined> =>
      (await this.#messages.findOne({ _id: code }, { projection: { [field]: 1 } }))?.lookups?.[application];
    const known = await stored();
    if (known) return known;
    const chosen = await choose();
    await this.#messages.updateOne({ _id: code, [field]: { $exists: false } }, { $set: { [field]: chosen } });
    return (await stored()) ?? chosen;
  }

  /** Messages that the watchdog is to look at, those longest overdue first. */
  due(now: Date, limit: number): Promise<string[]> {
    return this.#codes({ checkAt: { $lte: now } }, limit);
  }

  /** Messages that are open, whenever the watchdog is to look at them. */
  open(limit: number): Promise<string[]> {
    return this.#codes({ checkAt: { $exists: true } }, limit);
  }

  async #codes(filter: object, limit: number): Promise<string[]> {
    const found = await this.#messages
      .find(filter, { projection: { _id: 1 }, limit, hint: 'checkAt' })
      .sort({ checkAt: 1 })
      .toArray();
    return found.map(({ _id }) => _id);
  }

  /** Sets when the watchdog looks at each message again; undefined = no more. */
  async reschedule(times: ReadonlyMap<string, Date | undefined>): Promise<void> {
    const writes = [...times].map(([code, checkAt]): AnyBulkWriteOperation<OutgoingDocument> => {
      const update = checkAt ? { $set: { checkAt } } : { $unset: { checkAt: true as const } };
      // A message that was completed meanwhile stays closed.
      return { updateOne: { filter: { _id: code, checkAt: { $exists: true } }, update } };
    });
    if (writes.length > 0) await this.#messages.bulkWrite(writes, { ordered: false });
  }

  async expired(now: Date, limit: number): Promise<string[]> {
    const found = await this.#messages
      .find({ expireAt: { $lte: now } }, { projection: { _id: 1 }, limit, hint: 'expireAt' })
      .toArray();
    return found.map(({ _id }) => _id);
  }

  /** Removes all that is sent with the messages; what is left of them is {@link late} once no fact about them can arrive any more. */
  async remove(codes: readonly string[], now: Date): Promise<void> {
    for (const code of codes) this.#cache.delete(code);
    const removeAt = new Date(now.getTime() + LATE_MS);
    const writes = codes.map((_id) => ({ replaceOne: { filter: { _id }, replacement: { removeAt } } }));
    await this.#removed.bulkWrite(writes, { ordered: false });
  }

  async late(now: Date, limit: number): Promise<string[]> {
    const found = await this.#removed
      .find({ removeAt: { $lte: now } }, { projection: { _id: 1 }, limit, hint: 'removeAt' })
      .toArray();
    return found.map(({ _id }) => _id);
  }

  async forget(codes: readonly string[]): Promise<void> {
    await this.#removed.deleteMany({ _id: { $in: [...codes] } });
  }

  get #removed(): Collection<RemovedDocument> {
    return this.#messages as unknown as Collection<RemovedDocument>;
  }
}
