import type { ServiceAccount } from '@tidings/channels';
import type { Grant } from './access-token.ts';
import { signedJwt } from './signed-jwt.ts';

const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
const ASSERTION_SECONDS = 3600;

export const serviceAccountGrant =
  ({ clientEmail, key, keyId, tokenUri }: ServiceAccount, scope: string) =>
  (now: number): Grant => {
    const iat = Math.floor(now / 1000);
    const claims = { iss: clientEmail, scope, aud: tokenUri, iat, exp: iat + ASSERTION_SECONDS };
    const assertion = signedJwt(key, { typ: 'JWT', ...(keyId === undefined ? {} : { kid: keyId }) }, claims);
    return { url: tokenUri, fields: { grant_type: JWT_BEARER, assertion } };
  };

export interface ClientCredentials {
  readonly id: string;
  readonly secret: string;
  readonly scope?: string;
}

export const clientCredentialsGrant =
  (url: string, { id, secret, scope }: ClientCredentials) =>
  (): Grant => ({
    url,
    fields: {
      grant_type: 'client_credentials',
      client_id: id,
      client_secret: secret,
      ...(scope === undefined ? {} : { scope }),
    },
  });
