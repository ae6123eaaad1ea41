import type { Collection, CreateCollectionOptions, Db, Document, IndexDescription, IndexSpecification } from 'mongodb';
import type { Model, Schema } from 'mongoose';
import { connectionTo } from './connection.ts';
import type { Fields } from './fields.ts';
import { mongoose, schemaOptions } from './mongoose.ts';

export type Index = IndexDescription & { readonly name: string };

/** Collections and the table in docs/operations/retention.md are made from these. */
export interface ModelDefinition<Stored extends Document = Document> {
  readonly name: string;
  readonly retention: string;
  readonly schema: Schema;
  readonly options: CreateCollectionOptions;
  readonly stored?: Stored;
}

export interface ModelOptions<Stored> {
  readonly name: string;
  readonly retention: string;
  readonly fields: Fields<Stored>;
  readonly indexes?: readonly Index[];
  readonly options?: CreateCollectionOptions;
}

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

export function modelOf<Stored extends Document>(db: Db, { name, schema }: ModelDefinition<Stored>): Model<Stored> {
  const connection = connectionTo(db);
  return (
    (connection.models[name] as Model<Stored> | undefined) ??
    connection.model<Stored>(name, schema as Schema<Stored>, name)
  );
}

export const collectionOf = <Stored extends Document>(db: Db, { name }: ModelDefinition<Stored>): Collection<Stored> =>
  db.collection<Stored>(name);

export function indexesOf({ schema }: Pick<ModelDefinition, 'schema'>): Index[] {
  return schema.indexes().map(([key, { background: _background, ...options }]) => ({
    key: key as IndexSpecification as Index['key'],
    ...(options as { readonly name: string }),
  }));
}
