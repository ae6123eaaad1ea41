import { generateKeyPairSync } from 'node:crypto';
import { generateVapidKeys } from '../vapid-keys.ts';

const privateKeyEncoding = { type: 'pkcs8', format: 'pem' } as const;
const publicKeyEncoding = { type: 'spki', format: 'pem' } as const;

export const BUNDLE = 'com.example.demo';
const PROJECT = 'tidings-demo';
const CLIENT_EMAIL = `push@${PROJECT}.iam.gserviceaccount.com`;
const KEY_ID = 'DEMOKEY001';
const TEAM_ID = 'DEMOTEAM01';

export interface Credentials {
  readonly ios: Readonly<Record<string, unknown>>;
  readonly android: Readonly<Record<string, unknown>>;
  readonly chrome: Readonly<Record<string, unknown>>;
  readonly firefox: Readonly<Record<string, unknown>>;
  readonly publicKeys: unknown;
}

export function generateCredentials(tokenUrl: string): Credentials {
  const apple = generateKeyPairSync('ec', { namedCurve: 'P-256', privateKeyEncoding, publicKeyEncoding });
  const google = generateKeyPairSync('rsa', { modulusLength: 2048, privateKeyEncoding, publicKeyEncoding });
  const account = {
    type: 'service_account',
    project_id: PROJECT,
    private_key_id: '1',
    private_key: google.privateKey,
    client_email: CLIENT_EMAIL,
    client_id: '1',
    auth_uri: 'https://accounts.google.com/o/oauth2/auth',
    token_uri: tokenUrl,
    universe_domain: 'googleapis.com',
  };
  const [chrome, firefox] = [generateVapidKeys(), generateVapidKeys()];
  return {
    ios: {
      device_type: 1,
      ios_key_management_type: 'manual',
      ios_key_file: Buffer.from(apple.privateKey).toString('base64'),
      ios_key_password: '',
      ios_gateway: 1,
      ios_framework: 'native',
      ios_bundle_id: BUNDLE,
      ios_key_id: KEY_ID,
      ios_team_id: TEAM_ID,
    },
    android: {
      device_type: 3,
      android_framework: 'native',
      android_fcm_service_account: account,
    },
    chrome: {
      device_type: 11,
      chrome_fcm_service_account: account,
      chrome_vapid_key: chrome.publicKey,
      chrome_vapid_private_key: chrome.privateKey,
    },
    firefox: {
      device_type: 12,
      firefox_fcm_service_account: account,
      firefox_vapid_key: firefox.publicKey,
      firefox_vapid_private_key: firefox.privateKey,
    },
    publicKeys: {
      apns: [{ keyId: KEY_ID, teamId: TEAM_ID, publicKey: apple.publicKey, topics: [BUNDLE] }],
      google: [{ clientEmail: CLIENT_EMAIL, publicKey: google.publicKey, projectId: PROJECT }],
      vapid: [chrome.publicKey, firefox.publicKey],
    },
  };
}
