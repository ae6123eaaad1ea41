import { createCollections, type ModelDefinition } from '@tidings/mongo';
import type { Db } from 'mongodb';
import { activitiesModel } from '../storage/activities.schema.ts';
import type { ProjectionName, ProjectionsDocument } from '../storage/projections.schema.ts';
import { groupsModel, messagesModel } from '../storage/statistics.schema.ts';
import { isRunning } from './projection-states.ts';
import { inGeneration } from '../storage/in-generation.ts';

const modelsOf: Readonly<Record<ProjectionName, readonly ModelDefinition[]>> = {
  statistics: [messagesModel, groupsModel],
  conversions: [activitiesModel],
};

export const createGeneration = (db: Db, projection: ProjectionName, generation: number): Promise<void> =>
  createCollections(
    db,
    modelsOf[projection].map((model) => inGeneration(model, generation)),
  );

export function writtenGenerations({ live, replay }: ProjectionsDocument, projection: ProjectionName): number[] {
  const building = replay?.projection === projection && isRunning(replay) ? [replay.generation] : [];
  return [live[projection], ...building];
}

export async function dropUnusedGenerations(db: Db, state: ProjectionsDocument): Promise<void> {
  const names = (await db.listCollections({}, { nameOnly: true }).toArray()).map(({ name }) => name);
  for (const [projection, models] of Object.entries(modelsOf) as [ProjectionName, readonly ModelDefinition[]][]) {
    const written = writtenGenerations(state, projection);
    for (const model of models) {
      const kept = new Set(written.map((generation) => inGeneration(model, generation).name));
      const isGeneration = (name: string): boolean =>
        name === model.name || new RegExp(`^${model.name}_\\d+$`).test(name);
      for (const name of names) if (isGeneration(name) && !kept.has(name)) await db.dropCollection(name);
    }
  }
}
