import { Attempts, perform, type Refusal, sceneOf } from '../behaviour.ts';
import type { AccessTokens } from '../google-oauth/access-tokens.ts';
import type { Keys } from '../provider-keys.ts';
import type { Ledger } from '../ledger.ts';
import { ACCEPTED, type Push } from '../ledger/entries.ts';
import { clientIn } from '../oauth/client-credentials.ts';
import { faultyTokenReply } from '../oauth/token-replies.ts';
import type { Faults, ProviderFaults } from '../provider-faults.ts';
import type { Answer, Provider, ProviderRequest, Reaction } from '../provider.ts';
import { parseSpecialToken } from '../special-tokens.ts';
import { HMS_CODES, type HmsAnswer, type HmsCode, isHmsCode } from './codes.ts';
import { readMessage } from './hms-message.ts';

export interface HmsDeps {
  readonly keys: Keys;
  readonly ledger: Ledger;
  readonly faults: Faults;
  readonly accessTokens: AccessTokens;
}

/** On a host of its own at Huawei. */
export const HMS_TOKEN_PATH = '/oauth2/v3/token';
const PATH = /^\/v1\/([^/]+)\/messages:send$/;
const jsonHeaders = ['content-type', 'application/json; charset=UTF-8'];

export const hmsIdOf = (row: number): string => `1600000000000${row}`;

const codes: Readonly<Record<Exclude<Refusal, 'reason'>, HmsCode>> = {
  dead: '80300007',
  badToken: '80100000',
  throttled: '80300011',
  unavailable: 'TRAFFIC_CONTROL',
  serverError: '81000001',
  payloadRefused: '80300008',
  wrongTopic: '80300002',
  expiredAuth: '80200003',
};

export class Hms implements Provider {
  readonly name = 'hms';
  readonly #keys: Keys;
  readonly #ledger: Ledger;
  readonly #faults: Readonly<ProviderFaults>;
  readonly #accessTokens: AccessTokens;
  readonly #attempts = new Attempts();

  constructor({ keys, ledger, faults, accessTokens }: HmsDeps) {
    this.#keys = keys;
    this.#ledger = ledger;
    this.#faults = faults.of('hms');
    this.#accessTokens = accessTokens;
  }

  handle(request: ProviderRequest): Reaction {
    return request.path === HMS_TOKEN_PATH ? this.#grant(request) : this.#send(request);
  }

  reset(): void {
    this.#attempts.clear();
  }

  #grant({ body }: ProviderRequest): Answer {
    const faulty = faultyTokenReply(this.#faults.tokenReply);
    if (faulty) return faulty;
    const granted = clientIn(body, this.#keys);
    if (typeof granted === 'string') {
      const reply = { error: 1101, sub_error: 20003, error_description: granted };
      return { does: 'answer', status: 400, headers: jsonHeaders, body: JSON.stringify(reply) };
    }
    const reply = {
      access_token: this.#accessTokens.issue(granted.client, []),
      expires_in: this.#accessTokens.lifetimeSeconds,
      token_type: 'Bearer',
    };
    return { does: 'answer', status: 200, headers: jsonHeaders, body: JSON.stringify(reply) };
  }

  #send({ method, path, headers, body }: ProviderRequest): Reaction {
    const { tokens, hash, tag, error } = readMessage(body);
    const pushes = tokens.map((token): Push => ({ token, hash, collapseId: tag, id: '', payload: body }));
    const first = pushes[0] ?? { token: '', hash, collapseId: tag, id: '', payload: body };
    const app = PATH.exec(path)?.[1];
    const authorization = headers.authorization ?? '';
    const { answer } = this.#faults;
    if (answer !== null) return this.#refuse(first, isHmsCode(answer) ? answer : '81000001');
    if (app === undefined || method !== 'POST') return this.#refuse(first, '80100001');
    const flaw = this.#authFlaw(authorization, app) ?? error;
    if (flaw !== undefined) return this.#refuse(first, flaw);
    return pushes.length === 1 ? this.#sendOne(first, authorization) : this.#sendAll(pushes);
  }

  #sendOne(push: Push, authorization: string): Reaction {
    const asked = parseSpecialToken(push.token);
    if (asked === undefined) return this.#accept(push);
    const cue = { ...asked, token: push.token, credential: authorization };
    const reason = isHmsCode(asked.reason) ? asked.reason : '81000001';
    return perform(sceneOf(cue, this.#attempts), {
      accept: () => this.#accept(push),
      refuse: (as) => this.#refuse(push, as === 'reason' ? reason : codes[as]),
      garble: () => ({ ...this.#accept(push), body: '{"code":"8000' }),
      vanish: (how) => this.#record(push, 0, how),
    });
  }

  /** The answer lists the dead tokens. */
  #sendAll(pushes: readonly Push[]): Answer {
    const dead = new Set(pushes.filter(({ token }) => /^sim:(dead|badToken):/.test(token)));
    for (const push of pushes) {
      if (dead.has(push)) this.#record(push, 200, '80100000');
      else this.#record(push, 200, ACCEPTED);
    }
    if (dead.size === 0) return this.#answer({ status: 200, code: '80000000', msg: 'Success' });
    if (dead.size === pushes.length) return this.#answer(HMS_CODES['80300007']);
    return this.#partly(
      pushes.length - dead.size,
      [...dead].map(({ token }) => token),
    );
  }

  #accept(push: Push): Answer {
    this.#record(push, 200, ACCEPTED);
    return this.#answer({ status: 200, code: '80000000', msg: 'Success' });
  }

  #refuse(push: Push, name: HmsCode): Answer {
    const answer = HMS_CODES[name];
    this.#record(push, answer.status, name);
    return name === '80100000' ? this.#partly(0, [push.token]) : this.#answer(answer);
  }

  #partly(success: number, illegal: readonly string[]): Answer {
    const msg = JSON.stringify({ success, failure: illegal.length, illegal_tokens: illegal });
    return this.#answer({ status: 200, code: '80100000', msg });
  }

  #answer({ status, code, msg }: HmsAnswer): Answer {
    if (code === undefined) {
      const retry = status === 503 ? ['retry-after', String(this.#faults.retryAfterSeconds)] : [];
      return { does: 'answer', status, headers: ['content-type', 'text/html', ...retry], body: `<h1>${msg}</h1>` };
    }
    const requestId = this.#ledger.of('hms').nextId();
    return { does: 'answer', status, headers: jsonHeaders, body: JSON.stringify({ code, msg, requestId }) };
  }

  #record(push: Push, status: number, reason: string): void {
    this.#ledger.of('hms').record(push, status, reason);
  }

  #authFlaw(authorization: string, app: string): HmsCode | undefined {
    const token = authorization.startsWith('Bearer ') ? this.#accessTokens.find(authorization.slice(7)) : undefined;
    if (token === undefined || encodeURIComponent(token.clientEmail) !== app) return '80200001';
    return this.#accessTokens.isExpired(token) ? '80200003' : undefined;
  }
}
