import type { Keys } from '../provider-keys.ts';

/** RFC 6749, 5.2. */
export type GrantError = 'unsupported_grant_type' | 'invalid_request' | 'invalid_client';

export interface GrantedClient {
  readonly client: string;
  readonly scope: string;
}

/** The grant `client_credentials`, with id and secret in the form. */
export function clientIn(body: Buffer, keys: Keys): GrantedClient | GrantError {
  const form = new URLSearchParams(body.toString('utf8'));
  if (form.get('grant_type') !== 'client_credentials') return 'unsupported_grant_type';
  const client = form.get('client_id') ?? '';
  const secret = form.get('client_secret') ?? '';
  if (client === '' || secret === '') return 'invalid_request';
  return keys.isClient(client, secret) ? { client, scope: form.get('scope') ?? '' } : 'invalid_client';
}
