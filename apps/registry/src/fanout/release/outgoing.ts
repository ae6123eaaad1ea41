import { sharedWrites } from '@tidings/coordination';
import { idsBelow, type Lane } from '@tidings/delivery';
import { MessageAccepted, type MessageEvent, OffsetStep } from '@tidings/events';
import { chunkOf, type Clock, sendIdOf, SizedEntries } from '@tidings/kernel';
import { expiryOf } from '@tidings/messaging';
import { findAll, isTransient, type Update, updateAll } from '@tidings/mongo';
import type { Lookup } from '@tidings/segments';
import type { Binary, Collection, Db } from 'mongodb';
import { bytesOf } from '../../accounts/account-documents.ts';
import type { MessageIdentity } from '../plan/plans.ts';
import { sizeOf } from './size-of.ts';

export const OUTGOING = 'outgoing';

const DAY_MS = 86_400_000;
/** Maximum age of delivered facts: topics of facts hold them for 7 days. */
export const LATE_MS = 8 * DAY_MS;
/** Time of the watchdog's first check of a released message that is not completed. */
const FIRST_CHECK_MS = 5_000;
const CACHED = 500;
/** Bytes of the contents in memory; a content may have attachments. */
const CACHED_BYTES = 64 * 1024 * 1024;
/** Messages with a send rate among which the accounts take turns. */
const PACED_READ = 1_000;
const PACED = { paced: { $exists: true }, releasedAt: { $exists: true } } as const;
/** A step without the mark, which a process of version 0.1.0 has released, is marked in this time. Later it would come too late. */
const MARKED_WITHIN_MS = 24 * 3_600_000;

/** The fan-out's copy of a message. */
export interface OutgoingDocument {
  /** The message's code, with the bucket of a joined recipient or of a step: of `sendIdOf`. */
  readonly _id: string;
  readonly id: number;
  readonly account: string;
  /** The content: the event `MessageAccepted`; absent for a step, which has that of its message. */
  readonly accepted?: Binary | Uint8Array;
  /** The step of a message with a local time, with its offsets. */
  readonly step?: Binary | Uint8Array;
  readonly acceptedAt: Date;
  readonly releasedAt?: Date;
  /** Place in inboxes, if it is saved to them (R-J3). */
  readonly order?: number;
  /** The chosen lookups of scans, by application. */
  readonly lookups?: Readonly<Record<string, Lookup>>;
  /** Time of the watchdog's next check; absent = nothing is open. */
  readonly checkAt?: Date;
  /** It has a send rate, and slices that are not settled. */
  readonly paced?: boolean;
  /** Time of removal, with all plans of the message. */
  readonly expireAt: Date;
}

/** The trace of a removed message: late facts may have created data that belongs to it. */
export interface RemovedDocument {
  readonly _id: string;
  /** Time at which that is removed, too. */
  readonly removeAt: Date;
}

export interface Outgoing extends MessageIdentity {
  /** 0, or the bucket of the joined recipient or of the step. */
  readonly bucket: number;
  readonly accepted: MessageAccepted;
  /** Undefined unless the message has a local time. */
  readonly step?: OffsetStep | undefined;
  /** Place in inboxes; 0 unless it is saved to them. Final with the release (R-J3). */
  readonly inboxOrder: bigint;
  /** Undefined while it is not released. */
  readonly releasedAt: Date | undefined;
  /** From then on the message counts as removed, whether or not it has been. */
  readonly expireAt: Date;
}

export type Released = Outgoing & { readonly releasedAt: Date };

export const isReleased = (message: Outgoing): message is Released => message.releasedAt !== undefined;

const identityOf = ({ code, id, account }: MessageEvent): MessageIdentity => ({
  message: code,
  messageId: id,
  account,
});

/** Whether the recipients of a message are named. */
export const isNamed = ({ accepted }: Pick<Outgoing, 'accepted'>): boolean =>
  accepted.audience?.target?.$case === 'named';

/** Messages to at most this number of named recipients are planned on release: a task would cost a hop. */
export const NAMED_AT_ONCE = 100;

/**
 * The chunk of a message to a few named recipients who are all in one, in each of its applications. Its split is committed with its plan, and kept
 * nowhere else: it follows from the recipients.
 */
export function onlyChunkOf({ accepted: { audience } }: Pick<Outgoing, 'accepted'>): number | undefined {
  const target = audience?.target;
  if (target?.$case !== 'named' || target.value.seqs.length > NAMED_AT_ONCE) return undefined;
  const chunks = new Set(target.value.seqs.map(chunkOf));
  return chunks.size === 1 ? [...chunks][0] : undefined;
}

/** Whether the message has a send rate (R-I11). */
export const isRated = ({ accepted }: Pick<Outgoing, 'accepted'>): boolean => accepted.sendRate > 0;

/** The lane of a message. One with a send rate waits for its time, and a receipt must not wait behind it. */
export const laneOf = (message: Pick<Outgoing, 'accepted'>): Lane =>
  isNamed(message) && !isRated(message) ? 'direct' : 'broadcast';

/** The code of the message that a document belongs to. */
export const codeIn = (id: string): string => id.split('/')[0]!;

/** @param of the content of its message, for a step; undefined if that is missing */
function outgoingOf(stored: OutgoingDocument, of: Outgoing | undefined): Outgoing | undefined {
  const [message, bucket] = stored._id.split('/');
  const accepted = stored.accepted ? MessageAccepted.decode(bytesOf(stored.accepted)) : of?.accepted;
  return (
    accepted && {
      message: message!,
      bucket: Number(bucket ?? 0),
      messageId: BigInt(stored.id),
      account: stored.account,
      accepted,
      ...(stored.step && { step: OffsetStep.decode(bytesOf(stored.step)) }),
      inboxOrder: BigInt(stored.order ?? 0),
      releasedAt: stored.releasedAt,
      expireAt: stored.expireAt,
    }
  );
}

const firstCheck = (releasedAt: Date): Date => new Date(releasedAt.getTime() + FIRST_CHECK_MS);

type Write = Update<OutgoingDocument>;

/** The writes of an event of a message. */
function writesOf({ code, id, account, at, event }: MessageEvent): Write[] {
  const q = { _id: code };
  const keptOf = (accepted: MessageAccepted) => ({
    id: Number(id),
    account,
    accepted: MessageAccepted.encode(accepted).finish(),
    acceptedAt: at!,
    expireAt: expiryOf(accepted, at!),
    ...(accepted.content?.inbox && { order: Number(id) }),
    ...(isRated({ accepted }) && { paced: true }),
  });
  switch (event?.$case) {
    case 'accepted':
      // For a message with joined recipients, the content for each is kept.
      if (event.value.openUntil) return [];
      return [{ q, u: { $setOnInsert: keptOf(event.value) }, upsert: true }];
    case 'joined': {
      const joined = { ...keptOf(event.value.message!), releasedAt: at!, checkAt: firstCheck(at!) };
      const _id = sendIdOf({ message: code, bucket: event.value.bucket });
      return [{ q: { _id }, u: { $setOnInsert: joined }, upsert: true }];
    }
    case 'released': {
      const order = Number(event.value.inboxOrder);
      const u = { $min: { releasedAt: at! }, $set: { checkAt: firstCheck(at!) } };
      const placed = { q: { ...q, order: { $exists: true } }, u: { $max: { order } } };
      // The place first: a released message is cached by readers of inboxes.
      return [...(order > 0 ? [placed] : []), { q, u }];
    }
    case 'completed':
    case 'failed':
    case 'canceled':
      return [{ q, u: { $unset: { checkAt: true, paced: true } } }];
    case 'purged': {
      if (!event.value.whole) return [];
      // A removed one has no expiry.
      const kept = { expireAt: { $exists: true } };
      const u = { $min: { expireAt: at! }, $unset: { checkAt: true as const, paced: true as const } };
      return [
        { q: { ...q, ...kept }, u },
        { q: { _id: idsBelow(code), ...kept }, u, multi: true },
      ];
    }
    case undefined:
      return [];
  }
}

/** A release that follows its acceptance is part of that write. */
function withReleases(writes: readonly Write[]): Write[] {
  const merged: Write[] = [];
  const last = new Map<unknown, number>();
  for (const write of writes) {
    const { _id } = write.q;
    const at = last.get(_id);
    const before = at === undefined ? undefined : merged[at];
    if (before?.u.$setOnInsert && write.u.$min?.releasedAt) merged[at!] = { ...before, u: { ...before.u, ...write.u } };
    else last.set(_id, merged.push(write) - 1);
  }
  return merged;
}

/** The place of a message: the later one of its acceptance and its release; 0 = none. */
const placeOf = (message: Pick<Outgoing, 'accepted' | 'messageId'>, released: bigint): bigint => {
  if (!message.accepted.content?.inbox) return 0n;
  return released > message.messageId ? released : message.messageId;
};

const releasedOf = (event: MessageEvent, accepted: MessageAccepted, releasedAt: Date, order = 0n): Released => ({
  ...identityOf(event),
  bucket: event.event?.$case === 'joined' ? event.event.value.bucket : 0,
  accepted,
  inboxOrder: placeOf({ accepted, messageId: event.id }, order),
  releasedAt,
  expireAt: expiryOf(accepted, event.at!),
});

const isStep = ({ event }: MessageEvent): boolean => event?.$case === 'released' && event.value.step !== undefined;

/** The releases of steps, and the other events. */
const splitSteps = (events: readonly MessageEvent[]) =>
  [events.filter(isStep), events.filter((event) => !isStep(event))] as const;

/** The write of a step, which expires with its message. */
function stepWrite({ code, id, account, at, event }: MessageEvent, { accepted, expireAt }: Outgoing) {
  if (event?.$case !== 'released' || !event.value.step) throw new Error(`${code}: not a step`);
  const step = OffsetStep.encode(event.value.step).finish();
  const kept = { id: Number(id), account, step, acceptedAt: at!, releasedAt: at!, checkAt: firstCheck(at!), expireAt };
  const order = accepted.content?.inbox && { order: Number(event.value.inboxOrder) };
  const paced = isRated({ accepted }) && { paced: true };
  const q = { _id: sendIdOf({ message: code, bucket: event.value.step.bucket }) };
  return { q, u: { $setOnInsert: { ...kept, ...order, ...paced } }, upsert: true } as const;
}

/** The place that a release gives; 0 = that of the acceptance. */
const orderIn = ({ event }: MessageEvent): bigint => (event?.$case === 'released' ? event.value.inboxOrder : 0n);

/** A step of a released message. */
const stepOf = (event: MessageEvent, message: Outgoing, step: OffsetStep, releasedAt: Date): Released => ({
  ...message,
  ...identityOf(event),
  ...{ bucket: step.bucket, step, releasedAt, inboxOrder: message.accepted.content?.inbox ? orderIn(event) : 0n },
});

/** The fan-out's own copy of unfinished messages, and of messages with plans. */
export class OutgoingMessages {
  readonly #db: Db;
  readonly #messages: Collection<OutgoingDocument>;
  readonly #clock: Clock;
  /** Released messages, whose content is immutable. Another process may have purged or removed one since. */
  readonly #cache = new SizedEntries<Outgoing>({ atMost: CACHED, maxBytes: CACHED_BYTES });

  /** Applies events of messages, those of concurrent calls together; idempotent. */
  readonly keep: (events: readonly MessageEvent[]) => Promise<void>;

  constructor(db: Db, clock: Clock) {
    this.#db = db;
    this.#clock = clock;
    this.#messages = db.collection<OutgoingDocument>(OUTGOING);
    this.keep = sharedWrites((events) => this.#keep(events), { mayBeOneItem: (error) => !isTransient(error) });
  }

  async #keep(events: readonly MessageEvent[]): Promise<void> {
    const [steps, others] = splitSteps(events);
    await updateAll<OutgoingDocument>(this.#db, OUTGOING, withReleases(others.flatMap(writesOf)), { ordered: true });
    if (steps.length === 0) return;
    const messages = await this.find(steps.map(({ code }) => code));
    const stepped = steps.flatMap((event) => {
      const message = messages.get(event.code);
      return message ? [stepWrite(event, message)] : [];
    });
    await updateAll<OutgoingDocument>(this.#db, OUTGOING, stepped);
  }

  /** The messages that these events release, if known here. Messages accepted by the same events are not read. */
  async released(events: readonly MessageEvent[]): Promise<readonly Released[]> {
    const found: Released[] = [];
    const missing = new Map<string, MessageEvent>();
    const [steps, others] = splitSteps(events);
    for (const each of others) {
      const { code, at, event } = each;
      if (event?.$case === 'joined') found.push(this.#remember(releasedOf(each, event.value.message!, at!)));
      if (event?.$case !== 'released') continue;
      const accepted = events.find((other) => other.code === code && other.event?.$case === 'accepted');
      if (accepted?.event?.$case !== 'accepted') missing.set(code, each);
      else if (!accepted.event.value.openUntil)
        found.push(this.#remember(releasedOf(accepted, accepted.event.value, at!, orderIn(each))));
    }
    for (const [code, message] of await this.find([...missing.keys()])) {
      // The release itself may not be stored yet.
      const release = missing.get(code)!;
      const inboxOrder = placeOf(message, orderIn(release));
      found.push(this.#remember({ ...message, inboxOrder, releasedAt: message.releasedAt ?? release.at! }));
    }
    return [...found, ...(await this.#steps(steps, events))];
  }

  /** The steps that these events release; the message of a step may have been accepted by the same events. */
  async #steps(steps: readonly MessageEvent[], events: readonly MessageEvent[]): Promise<Released[]> {
    if (steps.length === 0) return [];
    const accepted = new Map(
      events.flatMap((each) =>
        each.event?.$case === 'accepted' ? [[each.code, releasedOf(each, each.event.value, each.at!)]] : [],
      ),
    );
    const stored = await this.find(steps.map(({ code }) => code).filter((code) => !accepted.has(code)));
    return steps.flatMap((each) => {
      const message = accepted.get(each.code) ?? stored.get(each.code);
      const step = each.event?.$case === 'released' ? each.event.value.step : undefined;
      return message && step ? [this.#remember(stepOf(each, message, step, each.at!))] : [];
    });
  }

  /** The messages with these ids (of `sendIdOf`) that are known here and have not expired. */
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
      const stored = await findAll<OutgoingDocument>(this.#db, OUTGOING, {
        _id: { $in: [...missing] },
        expireAt: { $gt: now },
      });
      // A step has the content of its message.
      const stepped = stored.filter(({ accepted }) => !accepted).map(({ _id }) => codeIn(_id));
      const messages = stepped.length > 0 ? await this.find([...new Set(stepped)]) : new Map<string, Outgoing>();
      for (const each of stored) {
        const message = outgoingOf(each, messages.get(codeIn(each._id)));
        if (message) found.set(each._id, this.#remember(message));
      }
    }
    return found;
  }

  /** Reads from the store, not the cache: another process may have purged a cached message with its application (R-B2). */
  async hasStored(ids: readonly string[]): Promise<boolean> {
    const kept = { _id: { $in: [...ids] }, expireAt: { $gt: new Date(this.#clock.now()) } };
    return (await this.#messages.findOne(kept, { projection: { _id: 1 } })) !== null;
  }

  #remember<M extends Outgoing>(message: M): M {
    if (!isReleased(message)) return message;
    // The steps of a message share its content.
    const { accepted: content } = message;
    this.#cache.set(sendIdOf(message), message, { content, bytes: sizeOf(content) });
    return message;
  }

  /** The lookup of a message's scans in an application. Concurrent calls may choose; the first choice is kept. */
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

  /** Messages due for the watchdog, the most overdue first. */
  due(now: Date, limit: number): Promise<string[]> {
    return this.#codes({ checkAt: { $lte: now } }, limit);
  }

  /** Open messages, due or not. */
  open(limit: number): Promise<string[]> {
    return this.#codes({ checkAt: { $exists: true } }, limit);
  }

  async hasPaced(): Promise<boolean> {
    return (await this.#messages.findOne(PACED, { projection: { _id: 1 }, hint: 'paced' })) !== null;
  }

  /**
   * Released messages with a send rate that are not settled, at most `limit`, all steps of each: the accounts take turns, each with its oldest ones.
   * @param isPaused whether a message is left out now. @default none
   */
  async paced(limit: number, isPaused: (code: string) => boolean = () => false): Promise<string[]> {
    const options = { projection: { account: 1 }, limit: PACED_READ, hint: 'paced' };
    const found = await this.#messages.find(PACED, options).toArray();
    const messages = [...Map.groupBy(found, ({ _id }) => codeIn(_id))].flatMap(([code, steps]) =>
      isPaused(code) ? [] : [{ account: steps[0]!.account, ids: steps.map(({ _id }) => _id) }],
    );
    const accounts = [...Map.groupBy(messages, ({ account }) => account).values()];
    const rounds = Math.max(0, ...accounts.map(({ length }) => length));
    const byRound = Array.from({ length: rounds }, (_, round) => accounts.flatMap((own) => own[round] ?? []));
    return byRound
      .flat()
      .slice(0, limit)
      .flatMap(({ ids }) => ids);
  }

  async #codes(filter: object, limit: number): Promise<string[]> {
    const found = await this.#messages
      .find(filter, { projection: { _id: 1 }, limit, hint: 'checkAt' })
      .sort({ checkAt: 1 })
      .toArray();
    return found.map(({ _id }) => _id);
  }

  /** Sets the time of the watchdog's next check per message; undefined = none, because nothing of it is open. */
  async reschedule(times: ReadonlyMap<string, Date | undefined>): Promise<void> {
    const released = this.#clock.now() - MARKED_WITHIN_MS;
    const writes = [...times].map(([code, checkAt]): Write => {
      const message = this.#cache.get(code);
      const isStep = message?.step !== undefined && isRated(message) && message.releasedAt!.getTime() > released;
      const u = checkAt
        ? { $set: { checkAt, ...(isStep && { paced: true }) } }
        : { $unset: { checkAt: true as const, paced: true as const } };
      // A message that was completed meanwhile stays closed.
      return { q: { _id: code, checkAt: { $exists: true } }, u };
    });
    await updateAll<OutgoingDocument>(this.#db, OUTGOING, writes);
  }

  async expired(now: Date, limit: number): Promise<string[]> {
    const found = await this.#messages
      .find({ expireAt: { $lte: now } }, { projection: { _id: 1 }, limit, hint: 'expireAt' })
      .toArray();
    return found.map(({ _id }) => _id);
  }

  /** Removes all data of the messages; what remains of them is {@link late} once no fact about them can arrive. */
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
