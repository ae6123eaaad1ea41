import { isSignedBy, type Jwt, parseJwt } from '../parsed-jwt.ts';
import type { Keys } from '../provider-keys.ts';
import type { ApnsReason } from './reasons.ts';

const LIFETIME_MS = 3_600_000;
const SKEW_MS = 300_000;
const REMEMBERED = 256;

/** `flaw` is independent of the time. */
export interface ProviderToken {
  readonly teamId: string;
  readonly keyId: string;
  readonly issuedAtMs: number;
  readonly topics: readonly string[] | undefined;
  readonly flaw: ApnsReason | undefined;
}

const flawed = (flaw: ApnsReason): ProviderToken => ({ teamId: '', keyId: '', issuedAtMs: 0, topics: undefined, flaw });

const signatureFits = (jwt: Jwt, keyId: string, teamId: string, keys: Keys): boolean => {
  const registered = keys.apns(keyId);
  if (registered === undefined) return jwt.signature.length === 64;
  return registered.teamId === teamId && isSignedBy(jwt, registered.key);
};

const isName = (value: unknown): value is string => typeof value === 'string' && value !== '';

const judge = (jwt: Jwt, keys: Keys): ProviderToken => {
  const { alg, kid } = jwt.header;
  const { iss, iat } = jwt.claims;
  const isComplete = alg === 'ES256' && isName(kid) && isName(iss) && typeof iat === 'number';
  if (!isComplete || !signatureFits(jwt, kid, iss, keys)) return flawed('InvalidProviderToken');
  return { teamId: iss, keyId: kid, issuedAtMs: iat * 1000, topics: keys.apns(kid)?.topics, flaw: undefined };
};

const read = (authorization: string, keys: Keys): ProviderToken => {
  const [scheme = '', token = ''] = authorization.split(' ');
  if (scheme.toLowerCase() !== 'bearer' || token === '') return flawed('MissingProviderToken');
  const jwt = parseJwt(token);
  return jwt === undefined ? flawed('InvalidProviderToken') : judge(jwt, keys);
};

/** Parses each once: the same token accompanies every push for an hour. */
export class ProviderTokens {
  readonly #cache = new Map<string, ProviderToken>();
  readonly #keys: Keys;
  readonly #now: () => number;
  #version = 0;
  #lastText = '';
  #last: ProviderToken = flawed('MissingProviderToken');

  constructor(keys: Keys, now: () => number) {
    this.#keys = keys;
    this.#now = now;
  }

  read(authorization: string | undefined): ProviderToken {
    if (authorization === undefined) return flawed('MissingProviderToken');
    if (this.#version !== this.#keys.version || this.#cache.size >= REMEMBERED) this.#forget();
    // Comparing with the last one is cheaper than hashing the header.
    if (authorization === this.#lastText) return this.#last;
    const token = this.#cache.get(authorization) ?? read(authorization, this.#keys);
    this.#cache.set(authorization, token);
    this.#lastText = authorization;
    this.#last = token;
    return token;
  }

  #forget(): void {
    this.#cache.clear();
    this.#lastText = '';
    this.#version = this.#keys.version;
  }

  /** Valid for an hour; may be issued up to five minutes in the future. */
  refusal({ flaw, issuedAtMs }: ProviderToken): ApnsReason | undefined {
    if (flaw !== undefined) return flaw;
    const age = this.#now() - issuedAtMs;
    if (age > LIFETIME_MS) return 'ExpiredProviderToken';
    return age < -SKEW_MS ? 'InvalidProviderToken' : undefined;
  }
}
