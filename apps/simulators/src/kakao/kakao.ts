import { Attempts, perform, type Refusal, sceneOf } from '../behaviour.ts';
import type { Ledger } from '../ledger.ts';
import { ACCEPTED, type Push } from '../ledger/entries.ts';
import { requestOfPhone } from '../phone-numbers.ts';
import type { Answer, Provider, ProviderRequest, Reaction } from '../provider.ts';
import type { Faults, ProviderFaults } from '../provider-faults.ts';
import { isKakaoError, KAKAO_ERRORS, type KakaoErrorName, kakaoErrorNamed } from './kakao-errors.ts';
import { readRequest } from './kakao-request.ts';

export interface KakaoDeps {
  readonly ledger: Ledger;
  readonly faults: Faults;
}

const PATH = /^\/alimtalk\/v2\.3\/appkeys\/([^/]+)\/(raw-)?messages$/;
const jsonHeaders = ['content-type', 'application/json;charset=UTF-8'];

export const kakaoIdOf = (row: number): string => `2026011500000${String(row).padStart(12, '0')}`;

const errorNames: Readonly<Record<Exclude<Refusal, 'reason'>, KakaoErrorName>> = {
  dead: 'UNKNOWN_RECIPIENT',
  badToken: 'OTHER',
  throttled: 'TOO_MANY_REQUESTS',
  unavailable: 'MAINTENANCE',
  serverError: 'SYSTEM_ERROR',
  payloadRefused: 'TEMPLATE_MISMATCH',
  wrongTopic: 'NO_SENDER_KEY',
  expiredAuth: 'INVALID_SECRET_KEY',
};

/** NHN Cloud's Bizmessage API, AlimTalk only, one recipient a request; numbers determine its answers. */
export class Kakao implements Provider {
  readonly name = 'kakao';
  readonly #ledger: Ledger;
  readonly #faults: Readonly<ProviderFaults>;
  readonly #attempts = new Attempts();

  constructor({ ledger, faults }: KakaoDeps) {
    this.#ledger = ledger;
    this.#faults = faults.of('kakao');
  }

  handle({ method, path, headers, body }: ProviderRequest): Reaction {
    const [, appKey, whole] = PATH.exec(path) ?? [];
    const { push, error } = readRequest(body, whole !== undefined);
    const credential = String(headers['x-secret-key'] ?? '');
    const { answer } = this.#faults;
    if (answer !== null) return this.#refuse(push, isKakaoError(answer) ? answer : 'SYSTEM_ERROR');
    if (appKey === undefined || method !== 'POST') return this.#refuse(push, 'INVALID_APP_KEY');
    if (credential === '') return this.#refuse(push, 'INVALID_SECRET_KEY');
    if (error !== undefined) return this.#refuse(push, error);
    const asked = requestOfPhone(push.token);
    if (asked === undefined) return this.#accept(push);
    return perform(sceneOf({ ...asked, token: push.token, credential }, this.#attempts), {
      accept: () => this.#accept(push),
      refuse: (as) => this.#refuse(push, as === 'reason' ? kakaoErrorNamed(asked.argument) : errorNames[as]),
      garble: () => ({ ...this.#accept(push), body: '{"header":{"isSucc' }),
      vanish: (reason) => this.#record(push, 0, reason),
    });
  }

  reset(): void {
    this.#attempts.clear();
  }

  #accept(push: Push): Answer {
    const requestId = this.#ledger.of(this.name).nextId();
    this.#record(push, 200, ACCEPTED);
    return this.#answer(push, { requestId });
  }

  #refuse(push: Push, name: KakaoErrorName): Answer {
    const { status } = KAKAO_ERRORS[name];
    this.#record(push, status, name);
    const answer = this.#answer(push, { error: name });
    if (status !== 503) return answer;
    return { ...answer, headers: [...answer.headers, 'retry-after', String(this.#faults.retryAfterSeconds)] };
  }

  #answer(push: Push, { error, requestId = '' }: { error?: KakaoErrorName; requestId?: string }): Answer {
    const { status, code, message, recipient } = error
      ? KAKAO_ERRORS[error]
      : { status: 200, code: 0, message: 'success', recipient: true };
    const header = recipient
      ? { isSuccessful: true, resultCode: 0, resultMessage: 'success' }
      : { isSuccessful: false, resultCode: code, resultMessage: message };
    const sendResults = [
      {
        recipientSeq: 1,
        recipientNo: push.token,
        resultCode: code,
        resultMessage: message,
        recipientGroupingKey: push.hash,
      },
    ];
    const body = recipient ? { header, message: { requestId, senderGroupingKey: '', sendResults } } : { header };
    return { does: 'answer', status, headers: jsonHeaders, body: JSON.stringify(body) };
  }

  #record(push: Push, status: number, reason: string): void {
    this.#ledger.of(this.name).record(push, status, reason);
  }
}
