import { Fault, Platform } from '@tidings/kernel';
import { createPublicKey, type KeyObject } from 'node:crypto';
import type { CredentialDefinition } from '../credential-definition.ts';
import { localResults } from '../send-results.ts';
import { textOf } from '../reply-fields.ts';

export interface ServiceAccount {
  readonly clientEmail: string;
  readonly key: KeyObject;
  readonly keyId: string | undefined;
  readonly tokenUri: string;
}

export interface FcmCredential {
  readonly projectId: string;
  readonly account: ServiceAccount;
}

const ACCOUNTS: Readonly<Partial<Record<number, string>>> = {
  [Platform.Android]: 'android_fcm_service_account',
  [Platform.Chrome]: 'chrome_fcm_service_account',
  [Platform.Firefox]: 'firefox_fcm_service_account',
};

const accountOf = (platform: number): string => {
  const name = ACCOUNTS[platform];
  if (name === undefined) throw Fault.bug(`FCM has no service account for platform ${platform}`);
  return name;
};
const TOKEN_URI = 'https://oauth2.googleapis.com/token';

export const fcmCredential: CredentialDefinition<FcmCredential> = {
  requiredFor: (platform) => [accountOf(platform)],

  async read({ platform, settings }, open) {
    const fields = JSON.parse(settings.get(accountOf(platform))!) as Readonly<Record<string, unknown>>;
    const projectId = textOf(fields['project_id']);
    const clientEmail = textOf(fields['client_email']);
    if (projectId === '' || clientEmail === '') return localResults.notConfigured;
    const key = open.key(textOf(fields['private_key']), { types: ['rsa'] });
    const keyId = textOf(fields['private_key_id']) || undefined;
    const tokenUri = textOf(fields['token_uri']) || TOKEN_URI;
    return { projectId, account: { clientEmail, key, keyId, tokenUri } };
  },

  identityOf({ projectId, account }) {
    const key = createPublicKey(account.key).export({ type: 'spki', format: 'der' });
    return [projectId, account.clientEmail, key.toString('base64')];
  },
};
