import { channelNames } from '@tidings/channels';
import { topics } from '@tidings/events';
import { type Configuration, masterKeyIdsIn } from '@tidings/runtime';
import { type InRecord, type LogContents, readEmbeddedLog } from '@tidings/streaming';
import { BSON, type Db, type IndexDescriptionInfo } from 'mongodb';
import type { Progress } from '../progress.ts';
import { Failure } from '../session.ts';
import {
  ArchiveWriter,
  type CollectionDocument,
  collectionFile,
  COLLECTIONS_FILE,
  type Manifest,
  partitionFile,
} from './archive.ts';
import { type Databases, LOG, withDatabases } from './databases.ts';

/** Exports a stopped embedded deployment. @throws Failure while the platform runs, during a replay, or when the folder is not empty */
export async function exportData(configuration: Configuration, folder: string, progress: Progress): Promise<Manifest> {
  if (configuration.kafkaBrokers.length > 0) {
    throw new Failure(
      'KAFKA_BROKERS is set: only an embedded deployment is exported; mongodump copies a distributed one',
    );
  }
  const writer = await ArchiveWriter.open(folder);
  return withDatabases(configuration, async (databases) => {
    if (!(await databases.names()).includes('system')) throw new Failure('There is no data to export');
    return readEmbeddedLog(databases.named(LOG), topics(channelNames()), (log) =>
      write({ databases, log, writer, progress }),
    );
  });
}

interface Export {
  readonly databases: Databases;
  readonly log: LogContents;
  readonly writer: ArchiveWriter;
  readonly progress: Progress;
}

async function write({ databases, log, writer, progress }: Export): Promise<Manifest> {
  const names = (await databases.names()).filter((name) => name !== LOG);
  await refuseReplays(databases.named('statistics'));
  const files: { readonly file: string; readonly documents: AsyncIterable<Uint8Array> }[] = [
    { file: COLLECTIONS_FILE, documents: rawCollections(databases, names) },
  ];
  for (const name of names) {
    for (const { name: collection } of await databases.named(name).listCollections({}, { nameOnly: true }).toArray()) {
      const documents = rawDocuments(databases.named(name), collection);
      files.push({ file: collectionFile(name, collection), documents });
    }
  }
  for (const { name, partitions } of log.topics) {
    for (let partition = 0; partition < partitions; partition++) {
      files.push({ file: partitionFile(name, partition), documents: rawRecords(log, name, partition) });
    }
  }
  for (const [done, { file, documents }] of files.entries()) {
    progress.set(done, files.length);
    await writer.write(file, documents);
  }
  progress.set(files.length, files.length);
  const masterKeys = await masterKeyIdsIn(databases.named('system'));
  const { topics: specs, offsets } = log;
  return writer.finish({ exportedAt: new Date().toISOString(), masterKeys, topics: specs, offsets });
}

/** A replay names offsets of its log, which are others elsewhere. */
async function refuseReplays(statistics: Db): Promise<void> {
  const running = { 'replay.startedAt': { $exists: true }, 'replay.finishedAt': { $exists: false } };
  if ((await statistics.collection('projections').countDocuments(running)) > 0) {
    throw new Failure('A replay is running: start the platform, and stop it when the replay is done');
  }
}

const rawDocuments = (database: Db, collection: string): AsyncIterable<Uint8Array> =>
  database.collection(collection).find({}, { raw: true, sort: { _id: 1 } }) as unknown as AsyncIterable<Uint8Array>;

async function* rawCollections(databases: Databases, names: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const name of names) {
    const database = databases.named(name);
    const found = await database.listCollections({}, { nameOnly: false }).toArray();
    for (const { name: collection, options } of found.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
      const indexes = (await database.collection(collection).indexes()).flatMap(creatable);
      const validator = options?.['validator'] as CollectionDocument['validator'];
      const document: CollectionDocument = { database: name, collection, ...(validator && { validator }), indexes };
      yield BSON.serialize(document);
    }
  }
}

function creatable({ v: _version, ns: _namespace, ...index }: IndexDescriptionInfo): CollectionDocument['indexes'] {
  const { name } = index;
  return name === undefined || name === '_id_' || 'expireAfterSeconds' in index ? [] : [{ ...index, name }];
}

async function* rawRecords(log: LogContents, topic: string, partition: number): AsyncGenerator<Uint8Array> {
  for await (const records of log.records(topic, partition)) {
    for (const record of records) yield BSON.serialize(documentOf(record));
  }
}

export type RecordDocument = Pick<InRecord, 'offset' | 'timestamp' | 'key' | 'value' | 'headers'>;

const documentOf = ({ offset, timestamp, key, value, headers }: InRecord): RecordDocument => ({
  offset,
  timestamp,
  key,
  value: Buffer.from(value),
  ...(headers && { headers }),
});
