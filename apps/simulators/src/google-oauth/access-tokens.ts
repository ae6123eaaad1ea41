import { randomBytes } from 'node:crypto';

export interface AccessToken {
  readonly clientEmail: string;
  readonly scopes: readonly string[];
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

const REMEMBERED = 10_000;

export class AccessTokens {
  readonly #issued = new Map<string, AccessToken>();
  readonly #now: () => number;
  lifetimeSeconds: number;

  /** @param lifetimeSeconds @default 3599, as Google's */
  constructor(now: () => number, lifetimeSeconds = 3599) {
    this.#now = now;
    this.lifetimeSeconds = lifetimeSeconds;
  }

  issue(clientEmail: string, scopes: readonly string[]): string {
    const token = `ya29.c.${randomBytes(96).toString('base64url')}`;
    if (this.#issued.size >= REMEMBERED) this.#issued.clear();
    this.#issued.set(token, { clientEmail, scopes, expiresAt: this.#now() + this.lifetimeSeconds * 1000 });
    return token;
  }

  find(token: string): AccessToken | undefined {
    return this.#issued.get(token);
  }

  findBearer(authorization: string): AccessToken | undefined {
    return authorization.startsWith('Bearer ') ? this.find(authorization.slice(7)) : undefined;
  }

  isExpired({ expiresAt }: AccessToken): boolean {
    return expiresAt <= this.#now();
  }

  expireAll(): void {
    for (const [token, issued] of this.#issued) this.#issued.set(token, { ...issued, expiresAt: 0 });
  }
}
