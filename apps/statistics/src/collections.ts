import { leasesModel, type ModelDefinition } from '@tidings/mongo';
import { activitiesModel } from './storage/activities.schema.ts';
import { deadLettersModel } from './storage/dead-letters.schema.ts';
import { projectionsModel } from './storage/projections.schema.ts';
import { purgedApplicationsModel } from './storage/purged-applications.schema.ts';
import { groupsModel, messagesModel } from './storage/statistics.schema.ts';

export const ownCollections: readonly ModelDefinition[] = [
  deadLettersModel,
  projectionsModel,
  purgedApplicationsModel,
  { ...leasesModel, retention: 'for ever: one document, for the replay' },
];

export const collections: readonly ModelDefinition[] = [messagesModel, groupsModel, activitiesModel, ...ownCollections];
