import { createPublicKey, type KeyObject } from 'node:crypto';
import type { CredentialDefinition } from '../credential-definition.ts';
import { localResults } from '../send-results.ts';

/** The fields of a Google service account that access tokens require. */
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

const ACCOUNT = 'android_fcm_service_account';
const TOKEN_URI = 'https://oauth2.googleapis.com/token';

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** The stored setting of Android: a service account as JSON (R-A3). */
export const fcmCredential: CredentialDefinition<FcmCredential> = {
  required: [ACCOUNT],

  async read(settings, open) {
    const fields = JSON.parse(settings.get(ACCOUNT)!) as Readonly<Record<string, unknown>>;
    const projectId = textOf(fields['project_id']);
    const clientEmail = textOf(fields['client_email']);
    const key = open.key(textOf(fields['private_key']));
    if (key.asymmetricKeyType !== 'rsa' || projectId === '' || clientEmail === '') return localResults.unusableKey;
    const keyId = textOf(fields['private_key_id']) || undefined;
    const tokenUri = textOf(fields['token_uri']) || TOKEN_URI;
    return { projectId, account: { clientEmail, key, keyId, tokenUri } };
  },

  identityOf({ projectId, account }) {
    const key = createPublicKey(account.key).export({ type: 'spki', format: 'der' });
    return [projectId, account.clientEmail, key.toString('base64')];
  },
};
