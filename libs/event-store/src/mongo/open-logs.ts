import type { Db } from 'mongodb';
import type { CountingLogWriter, OpenLogsOptions } from '../log-options.ts';
import { OwnedFields } from '../owned-fields.ts';
import type { DocumentAddress, LogDefinition } from '../event-log-port.ts';
import type { LogStore, Quarantined } from '../log-store.ts';
import { GroupingLogWriter } from '../log-writer.ts';
import { withTimeout } from './with-timeout.ts';
import { DURABLE, MongoCommits } from './commits.ts';
import { Indexes } from './indexes.ts';
import { MongoStates } from './states.ts';

export interface MongoLogsOptions<Event> extends OpenLogsOptions<Event> {
  readonly meta?: Readonly<Record<string, unknown>>;
}

/** Requires a replica set with read concern majority. */
export function openLogs<Command, Event, State, Reply, Context>(
  db: Db,
  definition: LogDefinition<Command, Event, State, Reply, Context>,
  { meta, ...options }: MongoLogsOptions<Event> = {},
): CountingLogWriter<Command, Reply> {
  return new GroupingLogWriter(definition, mongoLogStore(db, definition, meta), options);
}

export function mongoLogStore(
  db: Db,
  definition: Pick<LogDefinition<never, never, never, never, never>, 'category' | 'fields' | 'selfReportedField'>,
  meta?: Readonly<Record<string, unknown>>,
): LogStore {
  const { category, selfReportedField } = definition;
  const commits = new MongoCommits(db, category, meta);
  const states = new MongoStates(db, new OwnedFields(definition), selfReportedField);
  const indexes = new Indexes(db);
  const quarantine = db.collection<QuarantineDocument>(`${category}.quarantine`);
  const { w, j: journal } = DURABLE;
  return {
    heads: async (logs) => new Map([...(await commits.heads(logs))].map(([log, { applied }]) => [log, applied])),
    headsAfter: async (log, limit) =>
      (await commits.headsAfter(log, limit)).map(({ _id, applied }) => ({ log: _id, applied })),
    raiseHeads: (heads) => commits.raise('applied', new Map(heads.map(({ log, applied }) => [log, applied]))),
    ahead: (heads) => commits.ahead(heads),
    commitsAfter: (log, position, limit) => commits.after(log, position, limit),
    insert: (batch) => commits.insert(batch),
    find: (collection, field, values) => states.find(collection, field, values),
    readIndexes: (collections) => withTimeout(indexes.read(collections)),
    indexCheck: (collection) => indexes.check(collection),
    write: (writes) => states.write(writes),
    quarantined: async () => (await withTimeout(quarantine.find().toArray())).map(quarantinedOf),
    async quarantine({ address, ...rest }) {
      const update = { $setOnInsert: { ...rest, at: new Date() } };
      await withTimeout(quarantine.updateOne({ _id: address }, update, { upsert: true, writeConcern: { w, journal } }));
    },
    async release(address) {
      await withTimeout(quarantine.deleteOne({ _id: address }, { writeConcern: { w, journal } }));
    },
  };
}

export interface QuarantineDocument {
  readonly _id: DocumentAddress;
  readonly log: string;
  readonly position: number;
  readonly reason: string;
  readonly isUnknown?: boolean;
  readonly at: Date;
}

const quarantinedOf = ({ _id, log, position, reason, isUnknown = false }: QuarantineDocument): Quarantined => ({
  address: { collection: _id.collection, id: _id.id },
  log,
  position,
  reason,
  isUnknown,
});
