import { channelNames } from '@tidings/channels';
import { topics } from '@tidings/events';
import { ensureCollections } from '@tidings/mongo';
import { compareMasterKeys, type Configuration, masterKeysOf, openLog } from '@tidings/runtime';
import { kafkaOptions } from '@tidings/service';
import { createTopics, fillEmbeddedLog, fillKafka, type InRecord, type LogImport } from '@tidings/streaming';
import type { Db, Document } from 'mongodb';
import type { Progress } from '../progress.ts';
import { Failure } from '../session.ts';
import {
  ArchiveReader,
  type CollectionDocument,
  collectionsIn,
  COLLECTIONS_FILE,
  type Manifest,
  partitionFile,
} from './archive.ts';
import type { RecordDocument } from './export-data.ts';
import { databaseNames, type Databases, LOG, withDatabases } from './databases.ts';

const DURABLE = { writeConcern: { w: 'majority', j: true } } as const;

/** Writes nothing unless the archive is undamaged, its databases known, the master key right, and databases and topics empty. */
export async function importData(configuration: Configuration, folder: string, progress: Progress): Promise<Manifest> {
  const archive = await ArchiveReader.open(folder);
  checkDatabases(archive.manifest);
  checkKeys(configuration, archive.manifest);
  await withDatabases(configuration, async (databases) => {
    await refuseData(databases);
    const work = (log: LogImport) => fill({ archive, databases, log, progress });
    if (configuration.kafkaBrokers.length > 0) await intoKafka(configuration, archive.manifest, work);
    else await fillEmbeddedLog(databases.named(LOG), declared(), archive.manifest, work);
  });
  return archive.manifest;
}

const declared = () => topics(channelNames());

/** A database of another name may belong to a neighbouring deployment. */
function checkDatabases(manifest: Manifest): void {
  const unknown = collectionsIn(manifest).find(({ database }) => !databaseNames.has(database));
  if (unknown) throw new Failure(`The archive has a database that this version does not know: ${unknown.database}`);
}

/** The embedded mode compares the key in its data folder at its start. */
function checkKeys(
  { kafkaBrokers, masterKey, previousMasterKey, mongoUrl }: Configuration,
  { masterKeys }: Manifest,
): void {
  if (kafkaBrokers.length > 0 && mongoUrl === undefined)
    throw new Failure('MONGO_URL is required beside KAFKA_BROKERS');
  if (masterKey) for (const id of masterKeys) compareMasterKeys(masterKeysOf(masterKey, previousMasterKey), id);
  else if (kafkaBrokers.length > 0) {
    throw new Failure(
      'TIDINGS_MASTER_KEY is required: that of the exported deployment, whose data folder has it as `master-key`',
    );
  }
}

async function refuseData(databases: Databases): Promise<void> {
  for (const name of await databases.names()) {
    const database = databases.named(name);
    for (const { name: collection } of await database.listCollections({}, { nameOnly: true }).toArray()) {
      if ((await database.collection(collection).findOne({}, { projection: { _id: 1 } })) === null) continue;
      throw new Failure(
        `${database.databaseName}.${collection} holds data: an archive is imported into empty databases`,
      );
    }
  }
}

async function intoKafka(
  configuration: Configuration,
  manifest: Manifest,
  work: (log: LogImport) => Promise<void>,
): Promise<void> {
  const log = openLog(configuration.logLevel);
  const options = kafkaOptions({ name: 'import-data', configuration, log });
  await createTopics({ ...options, topics: declared() });
  await fillKafka(options, manifest, work);
}

interface Fill {
  readonly archive: ArchiveReader;
  readonly databases: Databases;
  readonly log: LogImport;
  readonly progress: Progress;
}

async function fill({ archive, databases, log, progress }: Fill): Promise<void> {
  const { manifest } = archive;
  const total = Object.keys(manifest.files).length;
  let done = 0;
  for (const { name: topic, partitions } of manifest.topics) {
    for (let partition = 0; partition < partitions; partition++) {
      const file = partitionFile(topic, partition);
      for await (const documents of archive.values<RecordDocument>(file)) {
        await log.append(
          topic,
          partition,
          documents.map((document) => recordOf(document, topic, partition)),
        );
      }
      if (Object.hasOwn(manifest.files, file)) progress.set(++done, total);
    }
  }
  await createAll(archive, databases);
  if (Object.hasOwn(manifest.files, COLLECTIONS_FILE)) progress.set(++done, total);
  for (const { file, database, collection } of collectionsIn(manifest)) {
    await insertAll(databases.named(database), collection, archive.documents(file));
    progress.set(++done, total);
  }
  await log.finish();
}

const recordOf = (document: RecordDocument, topic: string, partition: number): InRecord => ({
  ...document,
  topic,
  partition,
});

/** Creating an index over many documents takes long. */
async function createAll(archive: ArchiveReader, databases: Databases): Promise<void> {
  for await (const some of archive.values<CollectionDocument>(COLLECTIONS_FILE)) {
    for (const { database, collection: name, validator, indexes } of some) {
      const options = validator ? { validator } : {};
      await ensureCollections(databases.named(database), [{ name, options, indexes }]);
    }
  }
}

async function insertAll(database: Db, collection: string, documents: AsyncIterable<Document[]>): Promise<void> {
  for await (const some of documents) await database.collection(collection).insertMany(some, DURABLE);
}
