import { localResults, type SendResult } from '@tidings/delivery';
import { openPlainKey } from '@tidings/runtime';
import type { ServiceAccount } from '../../credentials/access-token.ts';
import type { Credential } from '../../credentials/credentials.ts';

export interface FcmCredential {
  readonly projectId: string;
  readonly account: ServiceAccount;
}

const TOKEN_URI = 'https://oauth2.googleapis.com/token';

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Reads what configureApplication stored for Android; a result where nothing can be sent with it (R-A3). */
export function fcmCredential({ settings }: Credential): FcmCredential | SendResult {
  const json = settings.get('android_fcm_service_account') ?? '';
  if (json === '') return localResults.notConfigured;
  try {
    const fields = JSON.parse(json) as Readonly<Record<string, unknown>>;
    const projectId = textOf(fields['project_id']);
    const clientEmail = textOf(fields['client_email']);
    const key = openPlainKey(textOf(fields['private_key']));
    if (key.asymmetricKeyType !== 'rsa' || projectId === '' || clientEmail === '') return localResults.unusableKey;
    const keyId = textOf(fields['private_key_id']) || undefined;
    const tokenUri = textOf(fields['token_uri']) || TOKEN_URI;
    return { projectId, account: { clientEmail, key, keyId, tokenUri } };
  } catch {
    return localResults.unusableKey;
  }
}
