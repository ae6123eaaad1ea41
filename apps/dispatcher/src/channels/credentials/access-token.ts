import { localResults, type SendResult } from '@tidings/channels';
import { type ConnectionFailure, connectionFailureOf } from '@tidings/http2';
import { type Clock, Fault, steadyTime } from '@tidings/kernel';
import type { PostForm } from '../post-form.ts';

export interface Grant {
  readonly url: string;
  readonly fields: Readonly<Record<string, string>>;
}

export interface AccessTokenDeps {
  readonly grant: (now: number) => Grant;
  readonly postForm: PostForm;
  readonly clock: Clock;
}

const DEFAULT_LIFETIME_SECONDS = 3599;
const LIFETIME_MAX_SECONDS = 86_400;
const EARLY_MS = 300_000;
const REFUSED_MS = 30_000;

interface Token {
  readonly text: string;
  /** Steady time of the business clock. */
  readonly until: number;
}

/** Providers refuse longer headers. */
const TOKEN_MAX = 8_192;
const TOKEN = /^[\x21-\x7e]+$/;
const TOO_LONG = new RegExp(`"access_token"\\s*:\\s*"[^"]{${TOKEN_MAX + 1}}`);
/** RFC 6749, 5.2. */
const REFUSALS: ReadonlySet<number> = new Set([400, 401]);

export class AccessToken {
  readonly #deps: AccessTokenDeps;
  #token: Token | undefined;
  #request: Promise<Token> | undefined;
  #lastFailure: ConnectionFailure | undefined;
  #refused: { readonly fault: TokenFault; readonly until: number } | undefined;

  constructor(deps: AccessTokenDeps) {
    this.#deps = deps;
  }

  get lastFailure(): ConnectionFailure | undefined {
    return this.#lastFailure;
  }

  async get(): Promise<string> {
    const now = steadyTime(this.#deps.clock);
    if (this.#token && now < this.#token.until) return this.#token.text;
    if (this.#refused && now < this.#refused.until) throw this.#refused.fault;
    this.#request ??= this.#fetch().finally(() => (this.#request = undefined));
    this.#token = await this.#request;
    return this.#token.text;
  }

  renewed(refused: string): Promise<string> {
    if (this.#token?.text === refused) this.#token = undefined;
    return this.get();
  }

  async #fetch(): Promise<Token> {
    const { grant, postForm, clock } = this.#deps;
    const now = steadyTime(clock);
    this.#refused = undefined;
    const { url, fields } = grant(clock.now());
    const { status, body } = await postForm(url, fields).catch((error: unknown) => {
      this.#lastFailure = connectionFailureOf(causeOf(error));
      throw error;
    });
    const { access_token: text, expires_in: seconds, error } = fieldsOf(body);
    if (status === 200 && TOO_LONG.test(body)) throw this.#refuse(localResults.accessTokenTooLong, now, '');
    if (status === 200 && typeof text === 'string' && TOKEN.test(text)) {
      this.#lastFailure = undefined;
      return tokenOf(text, seconds, now);
    }
    if (REFUSALS.has(status) && isErrorCode(error))
      throw this.#refuse(localResults.accessRefused, now, `${status} ${textOf(error)}`);
    // Pages of proxies and portals say nothing about the credential.
    this.#lastFailure = 'unreachable';
    throw Fault.unavailable(`the token address answers ${status} without a token`);
  }

  #refuse(result: SendResult, now: number, detail: string): TokenFault {
    this.#lastFailure = undefined;
    const fault = new TokenFault(result, detail);
    this.#refused = { fault, until: now + REFUSED_MS };
    return fault;
  }
}

export class TokenFault extends Fault {
  readonly result: SendResult;

  constructor(result: SendResult, internal: string) {
    super('forbidden', 'The credential gets no access token', { internal: `${result.name} ${internal}`.trimEnd() });
    this.result = result;
  }
}

export function tokenRefusalOf(error: unknown): SendResult | undefined {
  if (error instanceof TokenFault) return error.result;
  return Fault.from(error).kind === 'forbidden' ? localResults.accessRefused : undefined;
}

/** Huawei's codes are numbers. */
const isErrorCode = (error: unknown): boolean => typeof error === 'string' || typeof error === 'number';

const causeOf = (error: unknown): Error | undefined => {
  const { cause } = Fault.from(error);
  return cause instanceof Error ? cause : undefined;
};

function tokenOf(text: string, seconds: unknown, now: number): Token {
  const given = typeof seconds === 'number' && seconds > 0 ? seconds : DEFAULT_LIFETIME_SECONDS;
  const lifeMs = Math.min(given, LIFETIME_MAX_SECONDS) * 1000;
  return { text, until: now + lifeMs - Math.min(EARLY_MS, lifeMs / 10) };
}

const textOf = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value).slice(0, 100) : '';

function fieldsOf(body: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
