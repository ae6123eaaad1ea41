import { defineStates } from '@tidings/event-store';
import { date, defineModel, inDays, list, type ModelDefinition, number, object, optional, text } from '@tidings/mongo';
import { devicesModel } from '@tidings/registry-store';
import type { BatchOutcome } from '../commands/device-log-command.ts';
import { BATCH_LIFETIME_MS, KEY_LIFETIME_MS, type UsedKey } from '../commands/device-decisions.ts';
import { type Sequence, SEQUENCES } from './sequences.ts';
import { KEYS } from './key-collection.ts';

type InvalidTags = BatchOutcome['invalidTags'][number];

/** Idempotency-Keys in use. The service's clock decides whether one still counts; the index only removes old ones. */
export const keysModel = defineStates<UsedKey>({
  name: KEYS,
  retention: `${inDays(KEY_LIFETIME_MS)}; keys of batches ${inDays(BATCH_LIFETIME_MS)}`,
  fields: {
    until: date,
    outcome: optional(
      object<BatchOutcome>({
        notFound: list(number),
        invalidTags: list(object<InvalidTags>({ entry: number, tags: list(number) })),
      }),
    ),
  },
  indexes: [{ name: 'until', key: { until: 1 }, expireAfterSeconds: 0 }],
});

/** The next device number of each application, and the next id of geozones: allocated during registrations, and therefore native. */
export const sequencesModel = defineModel<Sequence>({
  name: SEQUENCES,
  retention: 'with the application',
  fields: { _id: text, next: number },
});

/** The collections of devices. */
export const deviceModels: readonly ModelDefinition[] = [devicesModel, keysModel, sequencesModel];
