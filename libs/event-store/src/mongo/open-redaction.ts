import { updateAll } from '@tidings/mongo';
import type { Db } from 'mongodb';
import type { LogDefinition } from '../event-log-port.ts';
import { withTimeout } from './with-timeout.ts';
import type { CommitDocument } from './commits.ts';

export interface IndexedEvent<Event> {
  readonly index: number;
  readonly event: Event;
}

export interface CommitEvents<Event> {
  readonly log: string;
  readonly position: number;
  readonly events: readonly IndexedEvent<Event>[];
}

export interface SearchedCommit {
  readonly log: string;
  readonly position: number;
  readonly texts: readonly string[];
}

const READ_AT_ONCE = 32;
const WRITTEN_AT_ONCE = 32;
/** Beyond, decoding every event costs less. */
const MANY_TEXTS = 16;

export interface CommitRedaction<Event> {
  /** Beyond {@link MANY_TEXTS} texts for a commit it returns other events as well. */
  marked(commits: readonly SearchedCommit[]): Promise<readonly CommitEvents<Event>[]>;
  markedAfter(
    log: string,
    position: number,
    mark: string,
    limit: number,
  ): Promise<{ readonly last: number | undefined; readonly marked: readonly CommitEvents<Event>[] }>;
  /** Durable and idempotent. */
  replace(commits: readonly CommitEvents<Event>[]): Promise<void>;
}

const contains = (bytes: Uint8Array, texts: readonly string[]): boolean => {
  if (texts.length >= MANY_TEXTS) return true;
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return texts.some((text) => buffer.includes(text));
};

export function openRedaction<Event>(
  db: Db,
  { category, encode, decode }: Pick<LogDefinition<never, Event, never, never>, 'category' | 'encode' | 'decode'>,
): CommitRedaction<Event> {
  const commits = db.collection<CommitDocument>(`${category}.commits`);
  const options = { promoteBuffers: true, readConcern: 'majority', projection: { events: 1 } } as const;
  const searchedIn = ({ _id, events }: Pick<CommitDocument, '_id' | 'events'>, texts: readonly string[]) => ({
    log: _id.log,
    position: _id.position,
    events: events.flatMap((bytes, index): IndexedEvent<Event>[] =>
      contains(bytes, texts) ? [{ index, event: decode(bytes) }] : [],
    ),
  });
  return {
    async marked(positions) {
      const found: CommitEvents<Event>[] = [];
      for (let first = 0; first < positions.length; first += READ_AT_ONCE) {
        const page = positions.slice(first, first + READ_AT_ONCE);
        const textsOf = new Map(page.map(({ log, position, texts }) => [`${log}/${position}`, texts]));
        const ids = page.map(({ log, position }) => ({ log, position }));
        const read = commits.find({ _id: { $in: ids } }, { ...options, batchSize: READ_AT_ONCE + 1 }).toArray();
        for (const commit of await withTimeout(read))
          found.push(searchedIn(commit, textsOf.get(`${commit._id.log}/${commit._id.position}`)!));
      }
      return found;
    },
    async markedAfter(log, position, mark, limit) {
      const ids = { $gt: { log, position }, $lt: { log, position: Infinity } };
      const found = await withTimeout(
        commits.find({ _id: ids }, { ...options, sort: { _id: 1 }, limit, batchSize: limit }).toArray(),
      );
      const marked = found.map((commit) => searchedIn(commit, [mark]));
      return { last: found.at(-1)?._id.position, marked: marked.filter(({ events }) => events.length > 0) };
    },
    async replace(changed) {
      const updates = changed.flatMap(({ log, position, events }) => {
        if (events.length === 0) return [];
        const $set = Object.fromEntries(
          events.map(({ index, event }) => [`events.${index}`, Buffer.from(encode(event))]),
        );
        return [{ q: { _id: { log, position } }, u: { $set } }];
      });
      for (let first = 0; first < updates.length; first += WRITTEN_AT_ONCE)
        await withTimeout(updateAll(db, commits.collectionName, updates.slice(first, first + WRITTEN_AT_ONCE)));
    },
  };
}
