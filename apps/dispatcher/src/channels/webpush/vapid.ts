import type { WebPushCredential } from '@tidings/channels';
import { type Clock, isDue } from '@tidings/kernel';
import { signedJwt } from '../credentials/signed-jwt.ts';

/** Push services accept a lifetime of up to a day. */
const LIFETIME_MS = 12 * 3_600_000;
/** Clocks differ, and pushes wait for streams. */
const EARLY_MS = 3_600_000;
const ORIGINS_MAX = 256;

interface Signed {
  readonly authorization: string;
  readonly until: number;
}

export interface VapidOptions {
  readonly credential: WebPushCredential;
  readonly subject: string | undefined;
  readonly clock: Clock;
}

export class Vapid {
  readonly #options: VapidOptions;
  readonly #signed = new Map<string, Signed>();

  constructor(options: VapidOptions) {
    this.#options = options;
  }

  authorizationFor(origin: string): string {
    const now = this.#options.clock.now();
    const cached = this.#signed.get(origin);
    if (cached && !isDue(cached.until, now, LIFETIME_MS - EARLY_MS)) return cached.authorization;
    // Removal first keeps the map in order of age.
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
