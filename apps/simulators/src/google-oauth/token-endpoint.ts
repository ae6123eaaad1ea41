import { faultyTokenReply } from '../oauth/token-replies.ts';
import { isSignedBy, type Jwt, parseJwt } from '../parsed-jwt.ts';
import type { Keys } from '../provider-keys.ts';
import type { Ledger } from '../ledger.ts';
import { ACCEPTED } from '../ledger/entries.ts';
import type { Faults } from '../provider-faults.ts';
import type { Answer, Provider, ProviderRequest } from '../provider.ts';
import type { AccessTokens } from './access-tokens.ts';

export interface OAuthError {
  readonly status: number;
  readonly error: string;
  readonly description: string;
}

const failed = (error: string, description: string, status = 400): OAuthError => ({ status, error, description });

export const OAUTH_ERRORS = {
  invalid_grant: failed('invalid_grant', 'Invalid JWT Signature.'),
  invalid_client: failed('invalid_client', 'The OAuth client was not found.', 401),
  invalid_scope: failed('invalid_scope', 'Invalid OAuth scope or ID token audience provided.'),
  invalid_request: failed('invalid_request', 'Required parameter is missing: assertion'),
  unsupported_grant_type: failed('unsupported_grant_type', 'Invalid grant_type'),
  internal_failure: failed('internal_failure', 'Backend Error', 500),
  temporarily_unavailable: failed('temporarily_unavailable', 'Service unavailable', 503),
} as const satisfies Record<string, OAuthError>;
export type OAuthErrorName = keyof typeof OAUTH_ERRORS;

export const isOAuthError = (name: string): name is OAuthErrorName => Object.hasOwn(OAUTH_ERRORS, name);

const GRANT_TYPE = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
const GOOGLE_AUDIENCE = 'https://oauth2.googleapis.com/token';
const LONGEST_SECONDS = 3600;
const SKEW_SECONDS = 300;

const WRONG_TIMES =
  'Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable timeframe. ' +
  'Check your iat and exp values in the JWT claim.';

export interface TokenEndpointDeps {
  readonly keys: Keys;
  readonly ledger: Ledger;
  readonly faults: Faults;
  readonly accessTokens: AccessTokens;
  readonly now: () => number;
  /** Google's own audience is accepted, too. */
  readonly audience: () => string;
}

const timesFit = ({ claims: { iat, exp } }: Jwt, nowSeconds: number): boolean =>
  typeof iat === 'number' &&
  typeof exp === 'number' &&
  exp - iat <= LONGEST_SECONDS &&
  exp > nowSeconds - SKEW_SECONDS &&
  iat < nowSeconds + SKEW_SECONDS;

/** Exchanges a signed assertion for an access token (RFC 7523). */
export const tokenEndpoint = ({
  keys,
  ledger,
  faults: all,
  accessTokens,
  now,
  audience,
}: TokenEndpointDeps): Provider => {
  const faults = all.of('google-oauth');

  const record = (issuer: string, status: number, reason: string, payload: Buffer): void =>
    ledger.of('google-oauth').record({ token: issuer, hash: '', collapseId: '', id: '', payload }, status, reason);

  const refuse = (issuer: string, { status, error, description }: OAuthError, payload: Buffer): Answer => {
    record(issuer, status, error, payload);
    const headers = ['content-type', 'application/json; charset=utf-8'];
    if (status === 503) headers.push('retry-after', String(faults.retryAfterSeconds));
    return { does: 'answer', status, headers, body: JSON.stringify({ error, error_description: description }) };
  };

  const flawOf = (jwt: Jwt): OAuthError | undefined => {
    const { iss, aud, scope } = jwt.claims;
    if (jwt.header['alg'] !== 'RS256') return failed('invalid_grant', 'Invalid JWT: the algorithm must be RS256.');
    if (typeof iss !== 'string' || iss === '') return failed('invalid_grant', 'Invalid JWT: iss is missing.');
    if (aud !== audience() && aud !== GOOGLE_AUDIENCE) {
      const text = `Invalid JWT: Failed audience check. The right audience is ${audience()}`;
      return failed('invalid_grant', text);
    }
    if (!timesFit(jwt, now() / 1000)) return failed('invalid_grant', WRONG_TIMES);
    const registered = keys.google(iss);
    const signed = registered === undefined ? jwt.signature.length === 256 : isSignedBy(jwt, registered.key);
    if (!signed) return OAUTH_ERRORS.invalid_grant;
    return typeof scope === 'string' && scope.trim() !== '' ? undefined : OAUTH_ERRORS.invalid_scope;
  };

  const handle = ({ method, path, body }: ProviderRequest): Answer => {
    if (path !== '/token') return refuse('', failed('not_found', 'Not Found', 404), body);
    if (method !== 'POST') return refuse('', failed('method_not_allowed', 'Method Not Allowed', 405), body);
    const form = new URLSearchParams(body.toString('utf8'));
    const assertion = form.get('assertion') ?? '';
    const jwt = parseJwt(assertion);
    const iss = jwt?.claims['iss'];
    const issuer = typeof iss === 'string' ? iss : '';
    if (faults.answer !== null) {
      const error = isOAuthError(faults.answer) ? OAUTH_ERRORS[faults.answer] : OAUTH_ERRORS.internal_failure;
      return refuse(issuer, error, body);
    }
    if (form.get('grant_type') !== GRANT_TYPE) return refuse(issuer, OAUTH_ERRORS.unsupported_grant_type, body);
    if (assertion === '') return refuse(issuer, OAUTH_ERRORS.invalid_request, body);
    if (jwt === undefined) return refuse(issuer, failed('invalid_grant', 'Invalid JWT: not a JWT.'), body);
    const flaw = flawOf(jwt);
    if (flaw !== undefined) return refuse(issuer, flaw, body);
    record(issuer, 200, ACCEPTED, body);
    const scopes = String(jwt.claims['scope']).split(' ');
    const reply = {
      access_token: accessTokens.issue(issuer, scopes),
      expires_in: accessTokens.lifetimeSeconds,
      token_type: 'Bearer',
    };
    const headers = ['content-type', 'application/json; charset=utf-8'];
    return { does: 'answer', status: 200, headers, body: JSON.stringify(reply) };
  };

  return {
    name: 'google-oauth',
    handle: (request) => faultyTokenReply(faults.tokenReply) ?? handle(request),
    reset: () => undefined,
  };
};
