import { z } from 'zod';
import { isObject, object, oneOf } from '../values.ts';

const isText = (value: unknown): boolean => typeof value === 'string' && value !== '';

/** A Google service account; the fields that sending does not need may be missing (R-A3). */
const serviceAccount = z
  .custom<Record<string, unknown>>(isObject, 'must be an object')
  .refine((account) => account['type'] === 'service_account', {
    error: 'must be service_account',
    path: ['type'],
    abort: true,
  })
  .refine((account) => isText(account['project_id']), { error: 'must be a non-empty string', path: ['project_id'] })
  .refine((account) => isText(account['private_key']), { error: 'must be a non-empty string', path: ['private_key'] })
  .refine((account) => isText(account['client_email']), {
    error: 'must be a non-empty string',
    path: ['client_email'],
  });

/** The fields of device_type 3. */
export const androidFields = object({
  android_framework: oneOf([
    'native',
    'cordova',
    'marmalade',
    'adobeAir',
    'corona',
    'xamarin',
    'phoneGapBuild',
    'triggerIO',
    'titanium',
    'unity',
  ]),
  android_fcm_service_account: serviceAccount,
});

/** What is stored of them: the service account as JSON text, which is secret as a whole. */
export const androidSettings = (fields: z.output<typeof androidFields>) => ({
  settings: {
    android_framework: fields.android_framework,
    android_fcm_service_account: JSON.stringify(fields.android_fcm_service_account),
  },
  secrets: ['android_fcm_service_account'],
});
