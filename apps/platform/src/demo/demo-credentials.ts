import { generateKeyPairSync } from 'node:crypto';

const privateKeyEncoding = { type: 'pkcs8', format: 'pem' } as const;
const publicKeyEncoding = { type: 'spki', format: 'pem' } as const;

export const BUNDLE = 'com.example.demo';
const PROJECT = 'tidings-demo';
const CLIENT_EMAIL = `push@${PROJECT}.iam.gserviceaccount.com`;
const KEY_ID = 'DEMOKEY001';
const TEAM_ID = 'DEMOTEAM01';

/** Credentials in the form that Apple and Google issue, for configureApplication, and their public halves, for the simulated providers. */
export interface Credentials {
  readonly ios: Readonly<Record<string, unknown>>;
  readonly android: Readonly<Record<string, unknown>>;
  readonly publicKeys: unknown;
}

/** @param tokenUrl where the service account obtains access tokens */
export function generateCredentials(tokenUrl: string): Credentials {
  const apple = generateKeyPairSync('ec', { namedCurve: 'P-256', privateKeyEncoding, publicKeyEncoding });
  const google = generateKeyPairSync('rsa', { modulusLength: 2048, privateKeyEncoding, publicKeyEncoding });
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
      android_fcm_service_account: {
        type: 'service_account',
        project_id: PROJECT,
        private_key_id: '1',
        private_key: google.privateKey,
        client_email: CLIENT_EMAIL,
        client_id: '1',
        auth_uri: 'https://accounts.google.com/o/oauth2/auth',
        token_uri: tokenUrl,
        universe_domain: 'googleapis.com',
      },
    },
    publicKeys: {
      apns: [{ keyId: KEY_ID, teamId: TEAM_ID, publicKey: apple.publicKey, topics: [BUNDLE] }],
      google: [{ clientEmail: CLIENT_EMAIL, publicKey: google.publicKey, projectId: PROJECT }],
    },
  };
}
