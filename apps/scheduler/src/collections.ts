import { commitsKept, logCollections } from '@tidings/event-store';
import { leasesModel, type ModelDefinition } from '@tidings/mongo';
import { deletedApplicationsModel } from '@tidings/service/deletions';
import {
  joinsModel,
  linksModel,
  messagesModel,
  progressModel,
  transactionsModel,
} from './messages/storage/messages.schema.ts';

/** The collections of the scheduler. */
export const collections: readonly ModelDefinition[] = [
  ...logCollections('messages', commitsKept.asFigures),
  messagesModel,
  linksModel,
  transactionsModel,
  joinsModel,
  progressModel,
  { ...leasesModel, kept: 'one for each relay and each number of a process; reserved transactionIds for an hour' },
  deletedApplicationsModel,
];
