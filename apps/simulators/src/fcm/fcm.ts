import { Attempts, perform, type Refusal, sceneOf } from '../behaviour.ts';
import type { Faults, ProviderFaults } from '../provider-faults.ts';
import type { AccessTokens } from '../google-oauth/access-tokens.ts';
import type { Keys } from '../provider-keys.ts';
import type { Ledger } from '../ledger.ts';
import { ACCEPTED, type Push } from '../ledger/entries.ts';
import type { Answer, Provider, ProviderRequest, Reaction } from '../provider.ts';
import { bodyOf, FCM_ERRORS, type FcmError, type FcmErrorName, isFcmError } from './errors.ts';
import { readMessage } from './fcm-message.ts';
import { parseFcmToken } from './fcm-tokens.ts';

export interface FcmDeps {
  readonly keys: Keys;
  readonly ledger: Ledger;
  readonly faults: Faults;
  readonly accessTokens: AccessTokens;
}

const PATH = /^\/v1\/projects\/([^/]+)\/messages:send$/;
const SCOPES = new Set([
  'https://www.googleapis.com/auth/firebase.messaging',
  'https://www.googleapis.com/auth/cloud-platform',
]);
const jsonHeaders = ['content-type', 'application/json; charset=UTF-8'];

export const fcmIdOf = (row: number): string => `0:${1_700_000_000_000_000 + row}%7031b2e6f9fd7ecd`;

const errorNames: Readonly<Record<Exclude<Refusal, 'reason'>, FcmErrorName>> = {
  dead: 'UNREGISTERED',
  badToken: 'INVALID_TOKEN',
  throttled: 'QUOTA_EXCEEDED',
  unavailable: 'UNAVAILABLE',
  serverError: 'INTERNAL',
  payloadRefused: 'INVALID_ARGUMENT',
  wrongTopic: 'SENDER_ID_MISMATCH',
  expiredAuth: 'ACCESS_TOKEN_EXPIRED',
};

export class Fcm implements Provider {
  readonly name = 'fcm';
  readonly #keys: Keys;
  readonly #ledger: Ledger;
  readonly #faults: Readonly<ProviderFaults>;
  readonly #accessTokens: AccessTokens;
  readonly #attempts = new Attempts();
  readonly #projects = new Map<string, string>();

  constructor({ keys, ledger, faults, accessTokens }: FcmDeps) {
    this.#keys = keys;
    this.#ledger = ledger;
    this.#faults = faults.of('fcm');
    this.#accessTokens = accessTokens;
  }

  handle({ method, path, headers, body }: ProviderRequest): Reaction {
    const { push, error } = readMessage(body);
    const project = this.#projectOf(path);
    const authorization = headers.authorization ?? '';
    const { answer } = this.#faults;
    if (answer !== null) return this.#refuseAs(push, isFcmError(answer) ? answer : 'INTERNAL');
    if (project === '' || method !== 'POST') return this.#refuseAs(push, 'NOT_FOUND');
    const flaw = this.#authFlaw(authorization, project);
    if (flaw !== undefined) return this.#refuseAs(push, flaw);
    if (error !== undefined) return this.#refuse(push, error.status, error);
    const asked = parseFcmToken(push.token);
    if (asked === undefined) return this.#accept(push, project);
    const cue = { ...asked, token: push.token, credential: authorization };
    return perform(sceneOf(cue, this.#attempts), {
      accept: () => this.#accept(push, project),
      refuse: (as) => this.#refuseAs(push, as === 'reason' ? asked.error : errorNames[as]),
      garble: () => ({ ...this.#accept(push, project), body: '{\n  "name": "projects/' }),
      vanish: (reason) => this.#record(push, 0, reason),
    });
  }

  reset(): void {
    this.#attempts.clear();
  }

  #accept(push: Push, project: string): Answer {
    const name = `projects/${project}/messages/${this.#ledger.of('fcm').nextId()}`;
    this.#record(push, 200, ACCEPTED);
    return { does: 'answer', status: 200, headers: jsonHeaders, body: `{\n  "name": "${name}"\n}\n` };
  }

  #refuseAs(push: Push, name: FcmErrorName): Answer {
    return this.#refuse(push, name, FCM_ERRORS[name]);
  }

  #refuse(push: Push, reason: string, error: FcmError): Answer {
    this.#record(push, error.code, reason);
    const headers = error.status === '' ? ['content-type', 'text/html; charset=UTF-8'] : [...jsonHeaders];
    if (error.code === 429 || error.code === 503) headers.push('retry-after', String(this.#faults.retryAfterSeconds));
    if (error.code === 401) headers.push('www-authenticate', 'Bearer realm="https://accounts.google.com/"');
    return { does: 'answer', status: error.code, headers, body: bodyOf(error) };
  }

  #record(push: Push, status: number, reason: string): void {
    this.#ledger.of('fcm').record(push, status, reason);
  }

  #authFlaw(authorization: string, project: string): FcmErrorName | undefined {
    const token = authorization.startsWith('Bearer ') ? this.#accessTokens.find(authorization.slice(7)) : undefined;
    if (token === undefined) return 'UNAUTHENTICATED';
    if (this.#accessTokens.isExpired(token)) return 'ACCESS_TOKEN_EXPIRED';
    if (!token.scopes.some((scope) => SCOPES.has(scope))) return 'SCOPE_INSUFFICIENT';
    const own = this.#keys.google(token.clientEmail)?.projectId;
    return own === undefined || own === project ? undefined : 'PERMISSION_DENIED';
  }

  #projectOf(path: string): string {
    const known = this.#projects.get(path);
    if (known !== undefined) return known;
    const project = PATH.exec(path)?.[1] ?? '';
    if (this.#projects.size < 1000) this.#projects.set(path, project);
    return project;
  }
}
