import { z } from 'zod';
import { anyBase64 } from '../fields/base64.ts';
import { boolean, isObject, oneOf, optional, TEXT_LIMIT } from '../values.ts';
import { platformFields } from './platform-settings.ts';

const isText = (value: unknown): boolean => typeof value === 'string' && value !== '';

const accountSchema = {
  type: 'object',
  properties: {
    type: { const: 'service_account', description: 'Always `service_account`.' },
    project_id: { type: 'string', description: 'Firebase project.' },
    private_key: { type: 'string', description: 'Private key in PEM.' },
    client_email: { type: 'string', description: 'Address of the service account.' },
  },
  required: ['type', 'project_id', 'private_key', 'client_email'],
};

/** Fields that sending does not use are optional (R-A3). */
const serviceAccount = z
  .custom<Record<string, unknown>>(isObject, 'must be an object')
  .meta(accountSchema)
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
  })
  .refine((account) => JSON.stringify(account).length <= TEXT_LIMIT, `at most ${TEXT_LIMIT} characters`)
  .describe('Firebase service account: the key file as an object.');

const vapidKey = anyBase64.describe('Public VAPID key in base64 or base64url.');
const vapidPrivateKey = anyBase64.describe('Private VAPID key in base64 or base64url.');

export const androidFields = platformFields(
  {
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
    ]).describe('What the app is built with.'),
    android_fcm_service_account: serviceAccount,
  },
  { secrets: ['android_fcm_service_account'] },
);

export const chromeFields = platformFields(
  {
    chrome_fcm_service_account: serviceAccount,
    chrome_vapid_key: vapidKey,
    chrome_vapid_private_key: vapidPrivateKey,
  },
  { secrets: ['chrome_fcm_service_account', 'chrome_vapid_private_key'] },
);

export const firefoxFields = platformFields(
  {
    firefox_is_enabled: optional(boolean).describe('Whether Firefox is enabled; true if left out.'),
    firefox_fcm_service_account: serviceAccount,
    firefox_vapid_key: vapidKey,
    firefox_vapid_private_key: vapidPrivateKey,
  },
  { secrets: ['firefox_fcm_service_account', 'firefox_vapid_private_key'], enabled: 'firefox_is_enabled' },
);
