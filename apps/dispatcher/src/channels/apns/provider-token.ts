import type { ApnsProof } from '@tidings/channels';
import { type Clock, isDue } from '@tidings/kernel';
import { signedJwt } from '../credentials/signed-jwt.ts';

/** APNs accepts a token for an hour, and refuses new ones more often than every 20 minutes. */
const LIFETIME_MS = 50 * 60_000;

export class ProviderToken {
  readonly #proof: Extract<ApnsProof, { by: 'token' }>;
  readonly #clock: Clock;
  #authorization = '';
  #until = 0;

  constructor(proof: Extract<ApnsProof, { by: 'token' }>, clock: Clock) {
    this.#proof = proof;
    this.#clock = clock;
  }

  authorization(): string {
    const now = this.#clock.now();
    // A token signed before the clock was set back is dated in the future.
    if (isDue(this.#until, now, LIFETIME_MS)) {
      const { key, keyId, teamId } = this.#proof;
      this.#authorization = `bearer ${signedJwt(key, { kid: keyId }, { iss: teamId, iat: Math.floor(now / 1000) })}`;
      this.#until = now + LIFETIME_MS;
    }
    return this.#authorization;
  }

  renew(refused: string): void {
    if (refused === this.#authorization) this.#until = 0;
  }
}
