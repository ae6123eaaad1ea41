import { Attempts, perform, type Refusal, sceneOf } from '../behaviour.ts';
import type { Faults, ProviderFaults } from '../provider-faults.ts';
import type { AccessTokens } from '../google-oauth/access-tokens.ts';
import type { Keys } from '../provider-keys.ts';
import type { Ledger } from '../ledger.ts';
import { ACCEPTED, type Push } from '../ledger/entries.ts';
import { clientIn, type GrantError } from '../oauth/client-credentials.ts';
import { faultyTokenReply } from '../oauth/token-replies.ts';
import type { Answer, Provider, ProviderRequest, Reaction } from '../provider.ts';
import { parseWnsPath, type WnsRequestOfPath } from './wns-channels.ts';
import { hashInNotification, notificationFlaw } from './wns-notification.ts';
import { isWnsReason, WNS_REASONS, type WnsReason } from './wns-reasons.ts';

export interface WnsDeps {
  readonly keys: Keys;
  readonly ledger: Ledger;
  readonly faults: Faults;
  readonly accessTokens: AccessTokens;
}

const TOKEN_PATH = '/accesstoken.srf';
const SCOPE = 'notify.windows.com';
const jsonHeaders = ['content-type', 'application/json; charset=utf-8'];

export const wnsIdOf = (row: number): string => (0x2a00_0000_0000 + row).toString(16).toUpperCase();

const reasons: Readonly<Record<Exclude<Refusal, 'reason'>, WnsReason>> = {
  dead: 'Gone',
  badToken: 'NotFound',
  throttled: 'NotAcceptable',
  unavailable: 'ServiceUnavailable',
  serverError: 'InternalServerError',
  payloadRefused: 'RequestEntityTooLarge',
  wrongTopic: 'Forbidden',
  expiredAuth: 'Unauthorized',
};

const oauthError = (error: GrantError | 'invalid_scope'): Answer => ({
  does: 'answer',
  status: 400,
  headers: jsonHeaders,
  body: JSON.stringify({ error, error_description: 'The request is refused' }),
});

export class Wns implements Provider {
  readonly name = 'wns';
  readonly #keys: Keys;
  readonly #ledger: Ledger;
  readonly #faults: Readonly<ProviderFaults>;
  readonly #accessTokens: AccessTokens;
  readonly #attempts = new Attempts();

  constructor({ keys, ledger, faults, accessTokens }: WnsDeps) {
    this.#keys = keys;
    this.#ledger = ledger;
    this.#faults = faults.of('wns');
    this.#accessTokens = accessTokens;
  }

  handle(request: ProviderRequest): Reaction {
    const { method, path, headers, body } = request;
    if (path === TOKEN_PATH && method === 'POST') return this.#issue(body);
    const tag = headers['x-wns-tag'];
    const push: Push = {
      token: path,
      hash: hashInNotification(body),
      collapseId: typeof tag === 'string' ? tag : '',
      id: '',
      payload: body,
    };
    const { answer } = this.#faults;
    if (answer !== null) return this.#answer(push, isWnsReason(answer) ? answer : 'InternalServerError');
    const asked = parseWnsPath(path);
    const flaw = this.#flawOf(request);
    if (flaw !== undefined) return this.#answer(push, flaw);
    if (asked === undefined) return this.#answer(push, 'NotFound');
    return this.#perform(push, asked, headers.authorization ?? '');
  }

  reset(): void {
    this.#attempts.clear();
  }

  #perform(push: Push, asked: WnsRequestOfPath, credential: string): Reaction {
    const cue = { ...asked, token: push.token, credential };
    return perform(sceneOf(cue, this.#attempts), {
      accept: () => this.#accept(push),
      refuse: (as) => this.#answer(push, as === 'reason' ? asked.reason : reasons[as]),
      // The bodies of answers are empty: nothing in them can be cut off.
      garble: () => this.#accept(push),
      vanish: (reason) => this.#record(push, 0, reason),
    });
  }

  #issue(body: Buffer): Answer {
    const faulty = faultyTokenReply(this.#faults.tokenReply);
    if (faulty) return faulty;
    const granted = clientIn(body, this.#keys);
    if (typeof granted === 'string') return oauthError(granted);
    if (granted.scope !== SCOPE) return oauthError('invalid_scope');
    if (!granted.client.startsWith('ms-app://')) return oauthError('invalid_client');
    const reply = {
      token_type: 'bearer',
      access_token: this.#accessTokens.issue(granted.client, [SCOPE]),
      expires_in: this.#accessTokens.lifetimeSeconds,
    };
    return { does: 'answer', status: 200, headers: jsonHeaders, body: JSON.stringify(reply) };
  }

  #flawOf({ method, headers, body }: ProviderRequest): WnsReason | undefined {
    if (method !== 'POST') return 'MethodNotAllowed';
    const [scheme, text = ''] = (headers.authorization ?? '').split(' ');
    const token = scheme === 'Bearer' ? this.#accessTokens.find(text) : undefined;
    if (token === undefined || this.#accessTokens.isExpired(token)) return 'Unauthorized';
    if (!token.scopes.includes(SCOPE)) return 'Forbidden';
    return notificationFlaw(headers, body);
  }

  #accept(push: Push): Answer {
    const id = this.#ledger.of('wns').nextId();
    this.#record(push, 200, ACCEPTED);
    return this.#reply(200, ['x-wns-msg-id', id, 'x-wns-notificationstatus', 'received']);
  }

  #answer(push: Push, reason: WnsReason): Answer {
    const status = WNS_REASONS[reason];
    this.#record(push, status, reason);
    if (status === 200) return this.#reply(status, ['x-wns-notificationstatus', reason]);
    const wait = status === 503 ? ['retry-after', String(this.#faults.retryAfterSeconds)] : [];
    return this.#reply(status, ['x-wns-error-description', reason, ...wait]);
  }

  #reply(status: number, headers: readonly string[]): Answer {
    const common = ['x-wns-debug-trace', 'SIM', 'x-wns-deviceconnectionstatus', 'connected'];
    return { does: 'answer', status, headers: [...common, ...headers], body: '' };
  }

  #record(push: Push, status: number, reason: string): void {
    this.#ledger.of('wns').record(push, status, reason);
  }
}
