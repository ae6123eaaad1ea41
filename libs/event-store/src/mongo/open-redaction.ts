import type { Db } from 'mongodb';
import type { LogDefinition } from '../event-log-port.ts';
import { answered } from './answers.ts';
import { type CommitDocument, DURABLE } from './commits.ts';

/** An event with its index in its commit. */
export interface PlacedEvent<Event> {
  readonly index: number;
  readonly event: Event;
}

/**
 * The only way to change a commit: personal data is removed from its events (architecture 4), or encrypted values in them are re-encrypted. The
 * meaning of the events stays.
 */
export interface CommitRedaction<Event> {
  /** The events of a commit whose bytes contain `mark`, in order; none if the commit was removed. */
  marked(log: string, position: number, mark: string): Promise<readonly PlacedEvent<Event>[]>;
  /**
   * The same for the commits of a log after `position`, of which `limit` are read, in order: those with such events. `last` is the position of the last one
   * read; undefined if there was none.
   */
  markedAfter(
    log: string,
    position: number,
    mark: string,
    limit: number,
  ): Promise<{
    readonly last: number | undefined;
    readonly marked: readonly { readonly position: number; readonly events: readonly PlacedEvent<Event>[] }[];
  }>;
  /** Replaces these events; durable when it resolves, idempotent. */
  replace(log: string, position: number, events: readonly PlacedEvent<Event>[]): Promise<void>;
}

/** Opens the commits of a category for that. Calls without an answer from the store reject with a transient error. */
export function openRedaction<Event>(
  db: Db,
  { category, encode, decode }: Pick<LogDefinition<never, Event, never, never>, 'category' | 'encode' | 'decode'>,
): CommitRedaction<Event> {
  const commits = db.collection<CommitDocument>(`${category}.commits`);
  const options = { promoteBuffers: true, readConcern: 'majority', projection: { events: 1 } } as const;
  const markedIn = (found: Pick<CommitDocument, 'events'> | null, mark: string): PlacedEvent<Event>[] =>
    (found?.events ?? []).flatMap((bytes, index) =>
      Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).includes(mark)
        ? [{ index, event: decode(bytes) }]
        : [],
    );
  return {
    async marked(log, position, mark) {
      return markedIn(await answered(commits.findOne({ _id: { log, position } }, options)), mark);
    },
    async markedAfter(log, position, mark, limit) {
      const ids = { $gt: { log, position }, $lt: { log, position: Infinity } };
      const found = await answered(
        commits.find({ _id: ids }, { ...options, sort: { _id: 1 }, limit, batchSize: limit }).toArray(),
      );
      const marked = found.map((commit) => ({ position: commit._id.position, events: markedIn(commit, mark) }));
      return { last: found.at(-1)?._id.position, marked: marked.filter(({ events }) => events.length > 0) };
    },
    async replace(log, position, events) {
      if (events.length === 0) return;
      const $set = Object.fromEntries(
        events.map(({ index, event }) => [`events.${index}`, Buffer.from(encode(event))]),
      );
      const update = { q: { _id: { log, position } }, u: { $set } };
      await answered(db.command({ update: commits.collectionName, updates: [update], writeConcern: DURABLE }));
    },
  };
}
