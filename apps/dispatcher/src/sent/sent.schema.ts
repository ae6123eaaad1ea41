import { bytes, date, defineModel, inDays, number, record, text } from '@tidings/mongo';
import { GIVE_UP_MS } from '../attempts/attempt-documents.ts';
import {
  type ErasedDocument,
  type KeptApplicationDocument,
  type SentValuesDocument,
  KEEP_VALUES_MS,
} from './sent-values-documents.ts';

const expiring = { name: 'expireAt', key: { expireAt: 1 }, expireAfterSeconds: 0 } as const;

export const keptApplicationsModel = defineModel<KeptApplicationDocument>({
  name: 'keptApplications',
  retention: `${inDays(KEEP_VALUES_MS)} after it was last asked for`,
  fields: { _id: text, expireAt: date },
  indexes: [expiring],
});

export const sentValuesModel = defineModel<SentValuesDocument>({
  name: 'sentValues',
  retention: `${inDays(KEEP_VALUES_MS)}, and until a device is erased`,
  fields: {
    _id: text,
    application: text,
    chunk: number,
    first: number,
    last: number,
    rounds: record(bytes),
    expireAt: date,
  },
  indexes: [expiring, { name: 'chunk', key: { application: 1, chunk: 1 } }],
});

export const erasedDevicesModel = defineModel<ErasedDocument>({
  name: 'erasedDevices',
  retention: inDays(GIVE_UP_MS),
  fields: { _id: text, application: text, chunk: number, position: number, expireAt: date },
  indexes: [expiring, { name: 'chunk', key: { application: 1, chunk: 1 } }],
});
