import type { Clock } from '@tidings/kernel';
import {
  type Applications,
  APPLICATION_LEASE_MS,
  type ApplicationView,
  type RateLimit,
  type Tokens,
  TokenScope,
  type TokenView,
} from '@tidings/rpc';
import { ReadThrough } from './read-through.ts';
import { fingerprint } from './secrets.ts';

/** A revocation takes effect within 5 s (R-T1). */
const TOKEN_MAX_AGE_MS = 3000;
const MAX_SECRET_LENGTH = 512;

export interface Token {
  readonly id: string;
  readonly account: string;
  readonly scope: 'api' | 'device';
  readonly allApplications: boolean;
  readonly applications: ReadonlySet<string>;
  readonly rateLimit: RateLimit | undefined;
  readonly expiresAt: Date | undefined;
}

/** `hidden`: the token must not learn that the application exists (R-T5). */
export type ApplicationAccess =
  | { readonly kind: 'granted'; readonly application: ApplicationView }
  | { readonly kind: 'restricted' }
  | { readonly kind: 'unknown' };

const tokenOf = (view: TokenView | undefined): Token | undefined =>
  view && {
    id: view.id,
    account: view.account,
    scope: view.scope === TokenScope.TOKEN_SCOPE_DEVICE ? 'device' : 'api',
    allApplications: view.allApplications,
    applications: new Set(view.applications),
    rateLimit: view.rateLimit,
    expiresAt: view.expiresAt,
  };

const isGranted = (token: Token, application: ApplicationView): boolean =>
  token.allApplications ||
  token.applications.has(application.code) ||
  (token.scope === 'api' && application.authorizeAllTokens);

export interface AccessDeps {
  readonly tokens: Pick<Tokens, 'resolveToken'>;
  readonly applications: Pick<Applications, 'findApplication'>;
}

/** A refusal always rests on data read after the request arrived. */
export class Access {
  readonly #tokens: ReadThrough<Token>;
  readonly #applications: ReadThrough<ApplicationView>;
  readonly #clock: Clock;

  constructor({ tokens, applications }: AccessDeps, clock: Clock) {
    this.#clock = clock;
    this.#tokens = new ReadThrough({
      maxAgeMs: TOKEN_MAX_AGE_MS,
      keyOf: fingerprint,
      read: async (secret) => tokenOf((await tokens.resolveToken({ secret })).token),
    });
    this.#applications = new ReadThrough({
      maxAgeMs: APPLICATION_LEASE_MS,
      read: async (application) => (await applications.findApplication({ application })).application,
    });
  }

  async token(secret: string): Promise<Token | undefined> {
    if (secret === '' || secret.length > MAX_SECRET_LENGTH) return undefined;
    const token = await this.#tokens.get(secret);
    return token?.expiresAt && token.expiresAt.getTime() <= this.#clock.now() ? undefined : token;
  }

  freshToken(secret: string): Promise<Token | undefined> {
    return this.#tokens.fresh(secret);
  }

  async accessTo(token: Token, secret: string, code: string): Promise<ApplicationAccess> {
    const application = await this.#applications.get(code);
    if (application?.account !== token.account) return { kind: 'unknown' };
    return isGranted(token, application) ? { kind: 'granted', application } : this.#freshAccess(secret, code);
  }

  freshApplication(code: string): Promise<ApplicationView | undefined> {
    return this.#applications.fresh(code);
  }

  async anonymousAccess(code: string): Promise<ApplicationAccess> {
    const application = await this.#applications.get(code);
    return application ? { kind: 'granted', application } : { kind: 'unknown' };
  }

  async #freshAccess(secret: string, code: string): Promise<ApplicationAccess> {
    const [token, application] = await Promise.all([this.#tokens.fresh(secret), this.#applications.fresh(code)]);
    if (!token || !application) return { kind: token ? 'unknown' : 'restricted' };
    return isGranted(token, application) ? { kind: 'granted', application } : { kind: 'restricted' };
  }
}
