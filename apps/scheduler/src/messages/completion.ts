import { type LogWriter, project, type ProjectedDocument } from '@tidings/event-store';
import { MessageAccepted, type MessageEvent, type PlanEvent } from '@tidings/events';
import { Bitmap, chunkOf, type Clock, Fault, RecentEntries } from '@tidings/kernel';
import { collectionOf, findAll } from '@tidings/mongo';
import type { Db } from 'mongodb';
import type { StoredMessage } from './list.ts';
import { logOfMessage, type MessageCommand, type MessageReply } from './message-log.ts';
import {
  advance,
  advanceJoins,
  areJoinsSettled,
  bucketsOf,
  bytesOf,
  isComplete,
  noProgress,
  type Progress,
  type ProgressDocument,
  progressDocument,
  progressOf,
} from './message-progress.ts';
import { messagesModel, OPEN, progressModel } from './storage/messages.schema.ts';

export interface CompletionDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly writer: LogWriter<MessageCommand, MessageReply>;
}

type Read = Pick<StoredMessage, '_id' | 'apps' | 'openUntil' | 'joined' | 'steps' | 'accepted'>;
interface Unfinished extends Omit<Read, 'accepted'> {
  readonly namedChunks: Bitmap | undefined;
}
interface CachedMessage {
  readonly message: Unfinished;
  readonly progress: ProgressDocument | undefined;
}

const CACHED_MESSAGES = 5_000;
const CACHE_MS = 120_000;
const cacheOptions = { atLeast: CACHED_MESSAGES, retentionMs: CACHE_MS };
/** Commits are applied within seconds: the message of older facts is removed. */
const APPLIED_WITHIN_MS = 600_000;
const AT_ONCE = 500;
const UNFINISHED_FIELDS = { apps: 1, openUntil: 1, joined: 1, steps: 1, accepted: 1 } as const;

export class Completion {
  readonly #deps: CompletionDeps;
  readonly #cached = new RecentEntries<CachedMessage>(cacheOptions);
  readonly #namedChunks = new RecentEntries<Bitmap | undefined>(cacheOptions);

  constructor(deps: CompletionDeps) {
    this.#deps = deps;
  }

  accepted(events: readonly MessageEvent[]): void {
    for (const { code, event } of events) {
      if (event?.$case !== 'accepted' || event.value.openUntil || event.value.localTime) continue;
      const { applications: apps } = event.value;
      this.#addToCache({ message: { _id: code, apps, namedChunks: chunksNamed(event.value) }, progress: undefined });
    }
  }

  /** Idempotent. @throws Fault `unavailable` if a message is not applied yet: its facts may arrive earlier */
  async count(events: readonly PlanEvent[]): Promise<void> {
    const byMessage = Map.groupBy(
      events.filter(({ event }) => event?.$case === 'fanout' || event?.$case === 'settled'),
      ({ message }) => message,
    );
    await this.#close(this.#takeComplete(byMessage));
    if (byMessage.size === 0) return;
    const found = await this.#find([...byMessage.keys()]);
    const untouched = new Set(found.map(({ _id }) => _id).filter((code) => this.#isUntouched(code)));
    const unfinished = found.filter(({ status }) => status === 'PENDING' || status === 'PROCESSING');
    const { ending, advancing } = this.#sort(unfinished, byMessage);
    const stored = await this.#advance(advancing, byMessage, untouched);
    for (const message of advancing) {
      const progress = stored.get(message._id) as ProgressDocument | undefined;
      if (!progress) continue;
      this.#addToCache({ message, progress });
      if (this.#isDone(message, progressOf(progress))) ending.push({ message, progress });
    }
    await this.#close(ending);
    // Facts of a step that is missing in the message are applied again later.
    const isAhead = ({ _id, steps }: Unfinished): boolean =>
      steps !== undefined && byMessage.get(_id)!.some(({ bucket }) => bucket > steps.count);
    if (unfinished.some(isAhead)) throw Fault.unavailable('a step is not stored yet');
    for (const { _id } of found) byMessage.delete(_id);
    const appliedBefore = this.#deps.clock.now() - APPLIED_WITHIN_MS;
    const isRecent = ({ at }: PlanEvent): boolean => at!.getTime() > appliedBefore;
    if ([...byMessage.values()].flat().some(isRecent)) throw Fault.unavailable('a message is not stored yet');
  }

  #takeComplete(byMessage: Map<string, readonly PlanEvent[]>): CachedMessage[] {
    const ending: CachedMessage[] = [];
    for (const [code, facts] of byMessage) {
      const cached = this.#cached.get(code);
      if (!cached) continue;
      const before = cached.progress ? progressOf(cached.progress) : noProgress;
      if (this.#isDone(cached.message, facts.reduce(advance, before))) ending.push(cached);
      else if (!isOnlyFanout(cached.message, facts)) continue;
      byMessage.delete(code);
    }
    return ending;
  }

  async #find(codes: readonly string[]): Promise<readonly (Unfinished & Pick<StoredMessage, 'status'>)[]> {
    const cachedChunks = new Map(
      codes.filter((code) => this.#namedChunks.has(code)).map((code) => [code, this.#namedChunks.get(code)]),
    );
    const fields = { ...UNFINISHED_FIELDS, status: 1 } as const;
    const { accepted: _, ...withoutContent } = fields;
    const cached = codes.flatMap((code) => this.#cached.get(code)?.message ?? []);
    const missing = codes.filter((code) => !this.#cached.has(code));
    const reads = [
      { $in: missing.filter((code) => cachedChunks.has(code)), projection: withoutContent },
      { $in: missing.filter((code) => !cachedChunks.has(code)), projection: fields },
    ].filter(({ $in }) => $in.length > 0);
    const found = await Promise.all(
      reads.map(({ $in, projection }) =>
        findAll<StoredMessage, Omit<Read, 'accepted'> & Partial<Read> & Pick<StoredMessage, 'status'>>(
          this.#deps.db,
          messagesModel.name,
          { _id: { $in } },
          { projection },
        ),
      ),
    );
    const read = found.flat().map(({ accepted, ...message }) => {
      const named = cachedChunks.has(message._id) ? cachedChunks.get(message._id) : chunksNamedIn(accepted);
      this.#namedChunks.set(message._id, named);
      return withNamed(message, named);
    });
    // Another process may have closed a cached one: then its progress is an orphan.
    return [...cached.map((message) => ({ ...message, status: 'PROCESSING' as const })), ...read];
  }

  /** Facts need not be stored if recipients determine them, or if they complete the message. */
  #sort(
    messages: readonly Unfinished[],
    facts: ReadonlyMap<string, readonly PlanEvent[]>,
  ): { readonly ending: CachedMessage[]; readonly advancing: readonly Unfinished[] } {
    const ending: CachedMessage[] = [];
    const advancing = messages.filter((message) => {
      const own = facts.get(message._id)!;
      if (!message.namedChunks) return true;
      if (this.#isDone(message, own.reduce(advance, noProgress))) {
        ending.push({ message, progress: undefined });
        return false;
      }
      if (!isOnlyFanout(message, own)) return true;
      this.#addToCache({ message, progress: undefined });
      return false;
    });
    return { ending, advancing };
  }

  #addToCache(entry: CachedMessage): void {
    const { _id, openUntil, steps } = entry.message;
    if (openUntil || steps) return;
    this.#cached.set(_id, entry);
  }

  #isUntouched(code: string): boolean {
    const cached = this.#cached.get(code);
    return cached !== undefined && !cached.progress;
  }

  #advance(
    messages: readonly Unfinished[],
    facts: ReadonlyMap<string, readonly PlanEvent[]>,
    untouched: ReadonlySet<string>,
  ) {
    const open = new Set(messages.filter(({ openUntil }) => openUntil).map(({ _id }) => _id));
    return project(
      { db: this.#deps.db, collection: progressModel.name },
      messages.flatMap(({ _id }) =>
        (facts.get(_id) ?? []).filter(({ event }) => !open.has(_id) || event?.$case === 'settled'),
      ),
      {
        idOf: ({ message }) => message,
        isProbablyNew: (_part, code) => untouched.has(code),
        apply: (document, ofMessage) => {
          const before = document ? progressOf(document as ProgressDocument) : noProgress;
          const advanced = open.has(ofMessage[0]!.message) ? advanceJoins : advance;
          return progressDocument(ofMessage.reduce(advanced, before));
        },
      },
    );
  }

  async closeEnded(): Promise<void> {
    await this.#close(await this.#ended());
  }

  async hasEnded(): Promise<boolean> {
    return (await this.#ended()).length > 0;
  }

  /** Repeated facts, a crash or another version may leave progress behind. */
  async removeOrphans(signal?: AbortSignal): Promise<void> {
    for (let after = ''; !signal?.aborted;) {
      const options = { projection: { _id: 1 }, sort: { _id: 1 }, limit: AT_ONCE } as const;
      const found = await this.#progress.find({ _id: { $gt: after } }, options).toArray();
      const codes = found.map(({ _id }) => _id);
      const open = this.#messages.find({ _id: { $in: codes }, status: { $in: ['PENDING', 'PROCESSING'] } });
      const openMessages = await open.project<Read>(UNFINISHED_FIELDS).toArray();
      const openCodes = new Set(openMessages.map(({ _id }) => _id));
      await this.#progress.deleteMany({ _id: { $in: codes.filter((code) => !openCodes.has(code)) } });
      await this.#close(
        await this.#done(openMessages.map((message) => unfinishedOf(message)).filter(({ namedChunks }) => namedChunks)),
      );
      if (codes.length < AT_ONCE) return;
      after = codes.at(-1)!;
    }
  }

  async closeComplete(codes: readonly string[]): Promise<void> {
    if (codes.length === 0) return;
    const found = await this.#messages
      .find({ _id: { $in: [...codes] }, status: 'PROCESSING' })
      .project<Read>(UNFINISHED_FIELDS)
      .toArray();
    await this.#close(await this.#done(found.map((message) => unfinishedOf(message))));
  }

  async #ended(): Promise<CachedMessage[]> {
    const ended = await this.#messages
      .find({ status: 'PROCESSING', openUntil: { $lte: new Date(this.#deps.clock.now()) } }, { hint: OPEN })
      .project<Read>(UNFINISHED_FIELDS)
      .toArray();
    return this.#done(ended.map((message) => unfinishedOf(message)));
  }

  async #done(messages: readonly Unfinished[]): Promise<CachedMessage[]> {
    if (messages.length === 0) return [];
    const found = await this.#progress.find({ _id: { $in: messages.map(({ _id }) => _id) } }).toArray();
    const stored = new Map(found.map((document) => [document._id, document as unknown as ProgressDocument]));
    return messages
      .map((message): CachedMessage => ({ message, progress: stored.get(message._id) }))
      .filter(({ message, progress }) => this.#isDone(message, progress ? progressOf(progress) : noProgress));
  }

  #isDone({ apps, openUntil, joined = 0, steps, namedChunks }: Unfinished, progress: Progress): boolean {
    if (steps && !steps.areComplete) return false;
    if (!openUntil) return isComplete(progress, apps, bucketsOf(steps), namedChunks);
    return openUntil.getTime() <= this.#deps.clock.now() && areJoinsSettled(progress, joined);
  }

  async #close(ending: readonly CachedMessage[]): Promise<void> {
    if (ending.length === 0) return;
    const { writer, clock } = this.#deps;
    const codes = ending.map(({ message }) => message._id);
    const at = new Date(clock.now());
    await Promise.all(codes.map((code) => writer.submit(logOfMessage(code), { kind: 'complete', code, at })));
    for (const code of codes) this.#cached.delete(code);
    const stored = ending.flatMap(({ message, progress }) => (progress ? [message._id] : []));
    if (stored.length > 0) await this.#progress.deleteMany({ _id: { $in: stored } });
  }

  get #progress() {
    return this.#deps.db.collection<ProjectedDocument>(progressModel.name);
  }

  get #messages() {
    return collectionOf(this.#deps.db, messagesModel);
  }
}

const isOnlyFanout = ({ namedChunks }: Unfinished, facts: readonly PlanEvent[]): boolean =>
  namedChunks !== undefined && facts.every(({ event }) => event?.$case === 'fanout');

const unfinishedOf = ({ accepted, ...message }: Read): Unfinished => withNamed(message, chunksNamedIn(accepted));

const withNamed = <Message extends Omit<Read, 'accepted'>>(message: Message, namedChunks: Bitmap | undefined) => ({
  ...message,
  namedChunks: message.steps || message.openUntil ? undefined : namedChunks,
});

/** The recipients determine it, so it is equal in every process. */
const chunksNamedIn = (accepted: StoredMessage['accepted'] | undefined): Bitmap | undefined =>
  accepted && chunksNamed(MessageAccepted.decode(bytesOf(accepted)));

function chunksNamed({ audience }: MessageAccepted): Bitmap | undefined {
  const target = audience?.target;
  return target?.$case === 'named' && target.value.byApplication.length === 0
    ? Bitmap.of(target.value.seqs.map(chunkOf))
    : undefined;
}
