import { createPublicKey, type KeyObject } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { isSignedBy, parseJwt } from '../parsed-jwt.ts';
import type { Keys } from '../provider-keys.ts';
import type { WebPushReason } from './webpush-reasons.ts';

const SECONDS = 1000;
/** RFC 8292: a token must not expire more than a day later. */
const LONGEST_MS = 24 * 3_600_000;
const REMEMBERED = 256;
/** A P-256 public key in DER precedes its uncompressed point. */
const SPKI_PREFIX = Buffer.from('3059301306072a8648ce3d020106082a8648ce3d030107034200', 'hex');

interface Vapid {
  readonly audience: string;
  readonly expiresAtMs: number;
  readonly publicKey: string;
}

function publicKeyIn(point: string): KeyObject | undefined {
  try {
    const key = Buffer.concat([SPKI_PREFIX, Buffer.from(point, 'base64url')]);
    return createPublicKey({ key, format: 'der', type: 'spki' });
  } catch {
    return undefined;
  }
}

function read(authorization: string): Vapid | undefined {
  const parts = /^vapid t=([\w.-]+), ?k=([\w-]+)$/.exec(authorization);
  const jwt = parts === null ? undefined : parseJwt(parts[1]!);
  const key = parts === null ? undefined : publicKeyIn(parts[2]!);
  if (jwt === undefined || key === undefined || jwt.header['alg'] !== 'ES256') return undefined;
  const { aud, exp, sub } = jwt.claims;
  const isContact = sub === undefined || (typeof sub === 'string' && /^(mailto:|https:)/.test(sub));
  if (typeof aud !== 'string' || typeof exp !== 'number' || !isContact || !isSignedBy(jwt, key)) return undefined;
  return { audience: aud, expiresAtMs: exp * SECONDS, publicKey: parts![2]! };
}

/** Verifies each once (RFC 8292): one accompanies every push to an origin for hours. */
export class ReceivedVapid {
  readonly #cache = new Map<string, Vapid | undefined>();
  readonly #keys: Keys;
  readonly #now: () => number;

  constructor(keys: Keys, now: () => number) {
    this.#keys = keys;
    this.#now = now;
  }

  /** Undefined if it is authorized. */
  refusal(headers: IncomingHttpHeaders): WebPushReason | undefined {
    const { authorization } = headers;
    if (authorization === undefined) return 'Unauthorized';
    const vapid = this.#read(authorization);
    const origin = `${String(headers[':scheme'])}://${String(headers[':authority'])}`;
    if (vapid === undefined || vapid.audience !== origin) return 'Forbidden';
    const leftMs = vapid.expiresAtMs - this.#now();
    if (leftMs < 0 || leftMs > LONGEST_MS) return 'Forbidden';
    return this.#keys.isVapid(vapid.publicKey) ? undefined : 'Forbidden';
  }

  #read(authorization: string): Vapid | undefined {
    if (this.#cache.has(authorization)) return this.#cache.get(authorization);
    if (this.#cache.size >= REMEMBERED) this.#cache.clear();
    const vapid = read(authorization);
    this.#cache.set(authorization, vapid);
    return vapid;
  }
}
