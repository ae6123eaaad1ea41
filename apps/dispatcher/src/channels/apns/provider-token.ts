import type { ApnsProof } from '@tidings/channels';
import { type Clock, isDue } from '@tidings/kernel';
import { signedJwt } from '../credentials/signed-jwt.ts';

/** APNs accepts a token for an hour, and refuses new ones more often than every 20 minutes. */
const LIFETIME_MS = 50 * 60_000;

/** The provider token of a key: signed once, reused until shortly before it expires. */
export class ProviderToken {
  readonly #proof: Extract<ApnsProof, { by: 'token' }>;
  readonly #clock: Clock;
  #authorization = '';
  #until = 0;

  constructor(proof: Extract<ApnsProof, { by: 'token' }>, clock: Clock) {
    this.#proof = proof;
    this.#clock = clock;
  }

  /** Value of the `authorization` header. */
  authorization(): string {
    const now = this.#clock.now();
    // A token that was signed before the clock was set back names a time to come.
    if (isDue(this.#until, now, LIFETIME_MS)) {
      const { key, keyId, teamId } = this.#proof;
      this.#authorization = `bearer ${signedJwt(key, { kid: keyId }, { iss: teamId, iat: Math.floor(now / 1000) })}`;
      this.#until = now + LIFETIME_MS;
    }
    return this.#authorization;
  }

  /** Signs another one at the next call, unless that has happened since. */
  renew(refused: string): void {
    if (refused === this.#authorization) this.#until = 0;
  }
}
