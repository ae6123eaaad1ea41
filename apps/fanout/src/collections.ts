import { commitRetention, logCollections } from '@tidings/event-store';
import type { ModelDefinition } from '@tidings/mongo';
import { fanoutModels } from './storage/fanout.schema.ts';

export const collections: readonly ModelDefinition[] = [
  ...logCollections('plans', commitRetention.asFigures),
  ...logCollections('fanouts', commitRetention.asDetails),
  ...fanoutModels,
];
