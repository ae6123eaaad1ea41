import { Attempts, perform, type Refusal, sceneOf } from '../behaviour.ts';
import { textOf } from '../fields.ts';
import type { ProviderFaults } from '../provider-faults.ts';
import type { Ledger } from '../ledger.ts';
import { ACCEPTED, type Push } from '../ledger/entries.ts';
import type { Answer, Provider, ProviderRequest, Reaction } from '../provider.ts';
import type { SimulatorDeps } from '../simulator.ts';
import { type ProviderToken, ProviderTokens } from './received-provider-token.ts';
import { APNS_REASONS, apnsStatus, type ApnsReason } from './reasons.ts';
import { addressFlaw, appOf, deviceTokenOf, headerFlaw, isWebsite, parsePayload, payloadFlaw } from './request.ts';
import { parseApnsToken } from './apns-tokens.ts';

/** A UUID for a push without an id of its own. */
export const apnsIdOf = (row: number): string => `7d1a65e0-0000-4000-8000-${row.toString(16).padStart(12, '0')}`;

const reasons: Readonly<Record<Exclude<Refusal, 'reason'>, ApnsReason>> = {
  dead: 'Unregistered',
  badToken: 'BadDeviceToken',
  throttled: 'TooManyRequests',
  unavailable: 'ServiceUnavailable',
  serverError: 'InternalServerError',
  payloadRefused: 'PayloadTooLarge',
  wrongTopic: 'DeviceTokenNotForTopic',
  expiredAuth: 'ExpiredProviderToken',
};

const reasonOf = (refusal: Refusal, argument: number): ApnsReason =>
  refusal === 'reason' ? APNS_REASONS[argument % APNS_REASONS.length]![0] : reasons[refusal];

export class Apns implements Provider {
  readonly name = 'apns';
  readonly #ledger: Ledger;
  readonly #faults: Readonly<ProviderFaults>;
  readonly #now: () => number;
  readonly #providerTokens: ProviderTokens;
  readonly #attempts = new Attempts();
  /** A connection serves one team. */
  readonly #bound = new WeakMap<object, ProviderToken>();

  constructor({ keys, ledger, faults, now }: SimulatorDeps) {
    this.#ledger = ledger;
    this.#faults = faults.of('apns');
    this.#now = now;
    this.#providerTokens = new ProviderTokens(keys, now);
  }

  handle(request: ProviderRequest): Reaction {
    const { headers, body } = request;
    const payload = parsePayload(body);
    const hash = payload?.['p'];
    const push: Push = {
      token: deviceTokenOf(request.path),
      hash: typeof hash === 'string' ? hash : '',
      collapseId: textOf(headers['apns-collapse-id']),
      id: textOf(headers['apns-id']),
      payload: body,
    };
    if (this.#faults.answer !== null) return this.#refuse(push, this.#faults.answer);
    const flaw =
      addressFlaw(request, push.token) ??
      this.#authFlaw(request) ??
      headerFlaw(headers) ??
      payloadFlaw(request, payload !== undefined);
    if (flaw !== undefined) return this.#refuse(push, flaw);
    const parsed = parseApnsToken(push.token);
    if (parsed === undefined) return this.#accept(push);
    const cue = { ...parsed, token: push.token, credential: textOf(headers.authorization) };
    return perform(sceneOf(cue, this.#attempts), {
      accept: () => this.#accept(push),
      refuse: (as) => this.#refuse(push, reasonOf(as, parsed.argument), as === 'dead' ? parsed.argument : 0),
      garble: () => this.#garble(push),
      vanish: (reason) => void this.#record(push, 0, reason),
    });
  }

  reset(): void {
    this.#attempts.clear();
  }

  #accept(push: Push): Answer {
    const id = this.#record(push, 200, ACCEPTED);
    return { does: 'answer', status: 200, headers: ['apns-id', id], body: '' };
  }

  /** @param ageMinutes since the token died, for the timestamp of 410 */
  #refuse(push: Push, reason: string, ageMinutes = 0): Answer {
    const status = apnsStatus(reason) ?? 500;
    const headers = ['apns-id', this.#record(push, status, reason)];
    if (status === 429 || status === 503) headers.push('retry-after', String(this.#faults.retryAfterSeconds));
    const body = status === 410 ? { reason, timestamp: this.#now() - ageMinutes * 60_000 } : { reason };
    return { does: 'answer', status, headers, body: JSON.stringify(body) };
  }

  #garble(push: Push): Answer {
    const id = this.#record(push, 400, 'malformed');
    return { does: 'answer', status: 400, headers: ['apns-id', id], body: '{"reason":"Bad' };
  }

  /** @returns the push's id, its own or a new one */
  #record(push: Push, status: number, reason: string): string {
    const ledger = this.#ledger.of('apns');
    const id = push.id === '' ? ledger.nextId() : push.id;
    ledger.record(push, status, reason);
    return id;
  }

  /** A website authenticates by its certificate alone, which is not asked for here. */
  #authFlaw({ headers, connection }: ProviderRequest): ApnsReason | undefined {
    const topic = textOf(headers['apns-topic']);
    if (isWebsite(topic)) return headers.authorization === undefined ? undefined : 'TopicDisallowed';
    const token = this.#providerTokens.read(headers.authorization);
    const flaw = this.#providerTokens.refusal(token);
    if (flaw !== undefined) return flaw;
    const first = this.#bound.get(connection);
    if (first === undefined) this.#bound.set(connection, token);
    else if (first.teamId !== token.teamId) return 'UnrelatedKeyIdInToken';
    const app = appOf(topic, textOf(headers['apns-push-type']));
    return token.topics === undefined || topic === '' || token.topics.includes(app) ? undefined : 'TopicDisallowed';
  }
}
