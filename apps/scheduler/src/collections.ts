import { commitRetention, logCollections } from '@tidings/event-store';
import { leasesModel, type ModelDefinition } from '@tidings/mongo';
import { deletedApplicationsModel } from '@tidings/service/deletions';
import {
  activitiesModel,
  joinsModel,
  linksModel,
  messagesModel,
  progressModel,
  transactionsModel,
} from './messages/storage/messages.schema.ts';

export const collections: readonly ModelDefinition[] = [
  ...logCollections('messages', commitRetention.asFigures),
  messagesModel,
  linksModel,
  transactionsModel,
  joinsModel,
  activitiesModel,
  progressModel,
  {
    ...leasesModel,
    retention: 'for ever: one document per relay and per process number; reserved transactionIds 1 hour',
  },
  deletedApplicationsModel,
];
