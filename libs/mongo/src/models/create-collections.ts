import { type CreateCollectionOptions, type Db, MongoServerError } from 'mongodb';
import { indexesOf, type ModelDefinition } from './model.ts';

const NAMESPACE_EXISTS = 48;

/**
 * Makes the collections that are not there and the indexes that they lack. Several processes may do so at once. An index that no schema has any more
 * stays; one that differs by its key or options from that of the same name is an error of the server.
 */
export async function createCollections(db: Db, models: readonly ModelDefinition[]): Promise<void> {
  const found = new Set((await db.listCollections({}, { nameOnly: true }).toArray()).map(({ name }) => name));
  await Promise.all(
    models.map(async (model) => {
      const { name, options } = model;
      if (!found.has(name)) await createCollection(db, name, options);
      const indexes = indexesOf(model);
      if (indexes.length > 0) await db.collection(name).createIndexes(indexes);
    }),
  );
}

async function createCollection(db: Db, name: string, options: CreateCollectionOptions): Promise<void> {
  try {
    await db.createCollection(name, options);
  } catch (error) {
    if (!(error instanceof MongoServerError && error.code === NAMESPACE_EXISTS)) throw error;
  }
}
