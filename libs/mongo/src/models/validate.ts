import type { Db } from 'mongodb';
import { type ModelDefinition, modelOf } from './model.ts';

const AT_MOST = 2_000;
const GENERATION = /_\d+$/;

export async function invalidDocuments(db: Db, models: readonly ModelDefinition[]): Promise<string[]> {
  const byName = new Map(models.map((model) => [model.name, model]));
  const lines: string[] = [];
  for (const { name } of await db.listCollections({}, { nameOnly: true }).toArray()) {
    const model = byName.get(name) ?? byName.get(name.replace(GENERATION, ''));
    if (model) lines.push(...(await invalidIn(db, { ...model, name })));
    else lines.push(`${db.databaseName}.${name}: no model`);
  }
  return lines;
}

async function invalidIn(db: Db, definition: ModelDefinition): Promise<string[]> {
  const model = modelOf(db, definition);
  const lines: string[] = [];
  const stored = db.collection<{ _id: unknown }>(definition.name).find({}, { sort: { $natural: -1 }, limit: AT_MOST });
  for await (const document of stored) {
    const fault = await faultOf(() => new model(document).validate());
    if (fault) lines.push(`${db.databaseName}.${definition.name} ${JSON.stringify(document._id)}: ${fault.message}`);
  }
  return lines;
}

async function faultOf(validate: () => Promise<void>): Promise<Error | undefined> {
  try {
    await validate();
    return undefined;
  } catch (error) {
    return error as Error;
  }
}
