import { Attempts, perform, type Refusal, sceneOf } from '../behaviour.ts';
import type { AccessTokens } from '../google-oauth/access-tokens.ts';
import type { Keys } from '../provider-keys.ts';
import type { Ledger } from '../ledger.ts';
import { ACCEPTED, type Push } from '../ledger/entries.ts';
import { clientIn, type GrantError } from '../oauth/client-credentials.ts';
import { faultyTokenReply } from '../oauth/token-replies.ts';
import type { Faults, ProviderFaults } from '../provider-faults.ts';
import type { Answer, Provider, ProviderRequest, Reaction } from '../provider.ts';
import { parseSpecialToken } from '../special-tokens.ts';
import { ADM_REASONS, type AdmReason, isAdmReason } from './adm-reasons.ts';
import { readMessage } from './adm-message.ts';

export interface AdmDeps {
  readonly keys: Keys;
  readonly ledger: Ledger;
  readonly faults: Faults;
  readonly accessTokens: AccessTokens;
}

export const ADM_TOKEN_PATH = '/auth/O2/token';
const PATH = /^\/messaging\/registrations\/([^/]+)\/messages$/;
const SCOPE = 'messaging:push';
/** `<this><the other one>`. */
const MOVED = 'moved-to:';
const jsonHeaders = ['content-type', 'application/json'];

export const admIdOf = (row: number): string => `adm-${row}`;

export const movedToken = (to: string): string => MOVED + to;

const reasons: Readonly<Record<Exclude<Refusal, 'reason'>, AdmReason>> = {
  dead: 'Unregistered',
  badToken: 'InvalidRegistrationId',
  throttled: 'MaxRateExceeded',
  unavailable: 'ServiceUnavailable',
  serverError: 'InternalServerError',
  payloadRefused: 'MessageTooLarge',
  wrongTopic: 'InvalidRegistrationId',
  expiredAuth: 'AccessTokenExpired',
};

const answer = (status: number, headers: readonly string[], body: unknown): Answer => ({
  does: 'answer',
  status,
  headers: [...jsonHeaders, ...headers],
  body: JSON.stringify(body),
});

function registrationIn(path: string): string | undefined {
  try {
    const id = PATH.exec(path)?.[1];
    return id === undefined ? undefined : decodeURIComponent(id);
  } catch {
    return undefined;
  }
}

export class Adm implements Provider {
  readonly name = 'adm';
  readonly #keys: Keys;
  readonly #ledger: Ledger;
  readonly #faults: Readonly<ProviderFaults>;
  readonly #accessTokens: AccessTokens;
  readonly #attempts = new Attempts();

  constructor({ keys, ledger, faults, accessTokens }: AdmDeps) {
    this.#keys = keys;
    this.#ledger = ledger;
    this.#faults = faults.of('adm');
    this.#accessTokens = accessTokens;
  }

  handle(request: ProviderRequest): Reaction {
    return request.path === ADM_TOKEN_PATH ? this.#grant(request) : this.#send(request);
  }

  reset(): void {
    this.#attempts.clear();
  }

  #grant({ body }: ProviderRequest): Answer {
    const faulty = faultyTokenReply(this.#faults.tokenReply);
    if (faulty) return faulty;
    const granted = clientIn(body, this.#keys);
    const refuse = (error: GrantError | 'invalid_scope'): Answer =>
      answer(error === 'invalid_client' ? 401 : 400, [], { error, error_description: 'refused' });
    if (typeof granted === 'string') return refuse(granted);
    if (granted.scope !== SCOPE) return refuse('invalid_scope');
    return answer(200, [], {
      access_token: this.#accessTokens.issue(granted.client, [SCOPE]),
      expires_in: this.#accessTokens.lifetimeSeconds,
      scope: SCOPE,
      token_type: 'bearer',
    });
  }

  #send({ method, path, headers, body }: ProviderRequest): Reaction {
    const { hash, consolidationKey, error } = readMessage(headers, body);
    const token = registrationIn(path);
    const push: Push = { token: token ?? '', hash, collapseId: consolidationKey, id: '', payload: body };
    const authorization = headers.authorization ?? '';
    const { answer: fault } = this.#faults;
    if (fault !== null) return this.#refuse(push, isAdmReason(fault) ? fault : 'InternalServerError');
    if (token === undefined || method !== 'POST') return this.#refuse(push, 'InvalidRegistrationId');
    const flaw = this.#isAuthorized(authorization) ? error : 'AccessTokenExpired';
    if (flaw !== undefined) return this.#refuse(push, flaw);
    const asked = parseSpecialToken(token);
    if (asked === undefined) return this.#accept(push);
    const reason = isAdmReason(asked.reason) ? asked.reason : 'InternalServerError';
    return perform(sceneOf({ ...asked, token, credential: authorization }, this.#attempts), {
      accept: () => this.#accept(push),
      refuse: (as) => this.#refuse(push, as === 'reason' ? reason : reasons[as]),
      garble: () => ({ ...this.#accept(push), body: '{"registrationID":"a' }),
      vanish: (how) => this.#record(push, 0, how),
    });
  }

  #accept(push: Push): Answer {
    this.#record(push, 200, ACCEPTED);
    const { token } = push;
    return answer(200, [], { registrationID: token.startsWith(MOVED) ? token.slice(MOVED.length) : token });
  }

  #refuse(push: Push, reason: AdmReason): Answer {
    const status = ADM_REASONS[reason];
    this.#record(push, status, reason);
    const retry = status === 429 || status === 503 ? ['retry-after', String(this.#faults.retryAfterSeconds)] : [];
    return answer(status, retry, { reason });
  }

  #record(push: Push, status: number, reason: string): void {
    this.#ledger.of('adm').record(push, status, reason);
  }

  #isAuthorized(authorization: string): boolean {
    const token = authorization.startsWith('Bearer ') ? this.#accessTokens.find(authorization.slice(7)) : undefined;
    return token !== undefined && token.scopes.includes(SCOPE) && !this.#accessTokens.isExpired(token);
  }
}
