import { type CreateCollectionOptions, type Db, MongoNetworkTimeoutError, MongoServerError } from 'mongodb';
import { type Index, indexesOf, type ModelDefinition } from './model.ts';

const NAMESPACE_EXISTS = 48;

export interface CollectionDefinition {
  readonly name: string;
  readonly options: CreateCollectionOptions;
  readonly indexes: readonly Index[];
}

export const createCollections = (db: Db, models: readonly ModelDefinition[]): Promise<void> =>
  ensureCollections(
    db,
    models.map((model) => ({ name: model.name, options: model.options, indexes: indexesOf(model) })),
  );

/** Waits for index builds, however long they take; removes no index. */
export async function ensureCollections(db: Db, collections: readonly CollectionDefinition[]): Promise<void> {
  const listed = await untilAnswered(() => db.listCollections({}, { nameOnly: true }).toArray());
  const found = new Set(listed.map(({ name }) => name));
  await Promise.all(
    collections.map(async ({ name, options, indexes }) => {
      if (!found.has(name)) await untilAnswered(() => createCollection(db, name, options));
      if (indexes.length > 0) await untilAnswered(() => db.collection(name).createIndexes([...indexes]));
    }),
  );
}

/** The server continues an index build after the socket timeout. */
async function untilAnswered<T>(command: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await command();
    } catch (error) {
      if (!(error instanceof MongoNetworkTimeoutError)) throw error;
    }
  }
}

async function createCollection(db: Db, name: string, options: CreateCollectionOptions): Promise<void> {
  try {
    await db.createCollection(name, options);
  } catch (error) {
    if (!(error instanceof MongoServerError && error.code === NAMESPACE_EXISTS)) throw error;
  }
}
