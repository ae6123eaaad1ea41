import { bytes, date, defineModel, inDays, number, record, text } from '@tidings/mongo';
import { GIVE_UP_MS } from '../attempts/attempt-documents.ts';
import {
  type ErasedDocument,
  type KeptApplicationDocument,
  type SentValuesDocument,
  KEEP_VALUES_MS,
} from './sent-values-documents.ts';

const expiring = { name: 'expireAt', key: { expireAt: 1 }, expireAfterSeconds: 0 } as const;

/** Applications whose sent values are kept, because a subscription gets them in its events. */
export const keptApplicationsModel = defineModel<KeptApplicationDocument>({
  name: 'keptApplications',
  retention: `${inDays(KEEP_VALUES_MS)} after it was last asked for`,
  fields: { _id: text, expireAt: date },
  indexes: [expiring],
});

/** The values that pushes were rendered from, for kept applications. They are written natively, since each slice has a write. */
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

/** Erased devices of kept applications, by number: slices in flight may still have values of them. */
export const erasedDevicesModel = defineModel<ErasedDocument>({
  name: 'erasedDevices',
  retention: inDays(GIVE_UP_MS),
  fields: { _id: text, application: text, chunk: number, position: number, expireAt: date },
  indexes: [expiring, { name: 'chunk', key: { application: 1, chunk: 1 } }],
});
