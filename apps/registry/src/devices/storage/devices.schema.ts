import { defineStates } from '@tidings/event-store';
import { date, defineModel, inDays, list, type ModelDefinition, number, object, optional, text } from '@tidings/mongo';
import { devicesModel } from '@tidings/registry-store';
import type { BatchOutcome } from '../commands/device-log-command.ts';
import { BATCH_LIFETIME_MS, KEY_LIFETIME_MS, type UsedKey } from '../commands/device-decisions.ts';
import { type Sequence, SEQUENCES } from './sequences.ts';
import { KEYS } from './key-collection.ts';

type InvalidTags = BatchOutcome['invalidTags'][number];

/** The service's clock decides; the index only removes old keys. */
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

export const sequencesModel = defineModel<Sequence>({
  name: SEQUENCES,
  retention: 'with the application',
  fields: { _id: text, next: number },
});

export const deviceModels: readonly ModelDefinition[] = [devicesModel, keysModel, sequencesModel];
