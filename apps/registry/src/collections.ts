import { commitRetention, logCollections } from '@tidings/event-store';
import { leasesModel, type ModelDefinition } from '@tidings/mongo';
import { accountModels } from './accounts/storage/accounts.schema.ts';
import { iconsModel } from './applications/storage/icons.schema.ts';
import { deviceModels } from './devices/storage/devices.schema.ts';
import { cooldownsModel } from './geozones/storage/cooldowns.schema.ts';
import { inboxesModel } from './entry-states/inboxes.schema.ts';
import { bucketsModel } from './tokens/storage/buckets.schema.ts';

export const collections: readonly ModelDefinition[] = [
  ...logCollections('accounts', commitRetention.asFigures),
  ...logCollections('devices', commitRetention.asDetails),
  ...logCollections('visits', commitRetention.asDetails),
  ...accountModels,
  iconsModel,
  ...deviceModels,
  cooldownsModel,
  bucketsModel,
  inboxesModel,
  leasesModel,
];
