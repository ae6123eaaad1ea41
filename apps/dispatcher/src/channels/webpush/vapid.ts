import type { WebPushCredential } from '@tidings/channels';
import { type Clock, isDue } from '@tidings/kernel';
import { signedJwt } from '../credentials/signed-jwt.ts';

/** Push services accept a token that expires within a day. */
const LIFETIME_MS = 12 * 3_600_000;
/** A token is replaced this long before it expires: clocks differ, and pushes wait for streams. */
const EARLY_MS = 3_600_000;
/** Maximum number of origins with a token. */
const ORIGINS_MAX = 256;

interface Signed {
  readonly authorization: string;
  readonly until: number;
}

export interface VapidOptions {
  readonly credential: WebPushCredential;
  /** Contact of the operator for push services, `mailto:` or `https:`; undefined = none. */
  readonly subject: string | undefined;
  readonly clock: Clock;
}

/** The VAPID tokens of an application (RFC 8292): one for each push service, signed once and reused until shortly before it expires. */
export class Vapid {
  readonly #options: VapidOptions;
  readonly #signed = new Map<string, Signed>();

  constructor(options: VapidOptions) {
    this.#options = options;
  }

  /** Value of the `authorization` header for a push service. @param origin `https://host` */
  authorizationFor(origin: string): string {
    const now = this.#options.clock.now();
    const known = this.#signed.get(origin);
    if (known && !isDue(known.until, now, LIFETIME_MS - EARLY_MS)) return known.authorization;
    // Removed first, so that the oldest one is the first of the map.
    this.#signed.delete(origin);
    if (this.#signed.size >= ORIGINS_MAX) this.#signed.delete(this.#signed.keys().next().value!);
    const authorization = this.#sign(origin, now);
    this.#signed.set(origin, { authorization, until: now + LIFETIME_MS - EARLY_MS });
    return authorization;
  }

  #sign(aud: string, now: number): string {
    const { credential, subject } = this.#options;
    const exp = Math.floor((now + LIFETIME_MS) / 1000);
    const claims = { aud, exp, ...(subject === undefined ? {} : { sub: subject }) };
    return `vapid t=${signedJwt(credential.key, { typ: 'JWT' }, claims)}, k=${credential.publicKey}`;
  }
}
