import type { ModelDefinition } from '@tidings/mongo';
import { activitiesModel } from './storage/activities.schema.ts';
import { deadLettersModel } from './storage/dead-letters.schema.ts';
import { groupsModel, messagesModel } from './storage/statistics.schema.ts';

/** The collections of statistics. */
export const collections: readonly ModelDefinition[] = [messagesModel, groupsModel, activitiesModel, deadLettersModel];
