import type { Collection, CreateCollectionOptions, Db, Document, IndexDescription, IndexSpecification } from 'mongodb';
import type { Model, Schema } from 'mongoose';
import { connectionTo } from './connection.ts';
import type { Fields } from './fields.ts';
import { mongoose, schemaOptions } from './mongoose.ts';

/** An index of a collection; its name is stored, and shown in plans of queries. */
export type Index = IndexDescription & { readonly name: string };

/**
 * A collection of a service's database: its name, its schema with the indexes, and the retention of its documents. Each service lists its own in
 * `src/collections.ts`: collections are created from these lists, and the table in docs/operations/retention.md is generated from them.
 */
export interface ModelDefinition<Stored extends Document = Document> {
  readonly name: string;
  /** A period of {@link inDays}, or the event that ends it. */
  readonly retention: string;
  readonly schema: Schema;
  /** The options at its creation. */
  readonly options: CreateCollectionOptions;
  /** Carries the type of the documents; it has no value. */
  readonly stored?: Stored;
}

export interface ModelOptions<Stored> {
  readonly name: string;
  readonly retention: string;
  readonly fields: Fields<Stored>;
  /** Beside that on `_id`. @default none */
  readonly indexes?: readonly Index[];
  /** @default none */
  readonly options?: CreateCollectionOptions;
}

/** Defines a collection by the type of its documents: every field of the type has its place in the schema. */
export function defineModel<Stored extends Document & { readonly _id: unknown }>({
  name,
  retention,
  fields,
  indexes = [],
  options = {},
}: ModelOptions<Stored>): ModelDefinition<Stored> {
  const schema = new mongoose.Schema(fields, schemaOptions) as unknown as Schema;
  for (const { key, ...rest } of indexes) schema.index(key as never, rest);
  return { name, retention, schema, options };
}

/** The mongoose model on a service's database: for what is read rarely, by `lean()`, and for what no log owns. */
export function modelOf<Stored extends Document>(db: Db, { name, schema }: ModelDefinition<Stored>): Model<Stored> {
  const connection = connectionTo(db);
  return (
    (connection.models[name] as Model<Stored> | undefined) ??
    connection.model<Stored>(name, schema as Schema<Stored>, name)
  );
}

/** The driver's collection of the same model: for what logs own, and for what is read or written with every device or record. */
export const collectionOf = <Stored extends Document>(db: Db, { name }: ModelDefinition<Stored>): Collection<Stored> =>
  db.collection<Stored>(name);

/** The indexes of a schema, as the server takes them. */
export function indexesOf({ schema }: Pick<ModelDefinition, 'schema'>): Index[] {
  return schema.indexes().map(([key, { background: _background, ...options }]) => ({
    key: key as IndexSpecification as Index['key'],
    ...(options as { readonly name: string }),
  }));
}
