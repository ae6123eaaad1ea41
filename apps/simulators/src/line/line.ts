import type { IncomingHttpHeaders } from 'node:http';
import { Attempts, perform, type Refusal, sceneOf } from '../behaviour.ts';
import type { Faults, ProviderFaults } from '../provider-faults.ts';
import type { Keys } from '../provider-keys.ts';
import type { Ledger } from '../ledger.ts';
import { ACCEPTED, type Push } from '../ledger/entries.ts';
import type { Answer, Provider, ProviderRequest, Reaction } from '../provider.ts';
import { isLineReason, LINE_REASONS, lineBodyOf, type LineReason } from './line-reasons.ts';
import { lineRequestIn } from './line-request.ts';
import { type LineRequestOfUser, parseLineUser } from './line-users.ts';

export interface LineDeps {
  readonly keys: Keys;
  readonly ledger: Ledger;
  readonly faults: Faults;
}

const PATH = '/v2/bot/message/push';
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const jsonHeaders = ['content-type', 'application/json'];
/** LINE forgets them after a day. */
const KEYS_MAX = 1_000_000;

export const lineIdOf = (row: number): string => `00000000-0000-4000-8000-${String(row).padStart(12, '0')}`;

const reasons: Readonly<Record<Exclude<Refusal, 'reason'>, LineReason>> = {
  dead: 'InvalidRecipient',
  badToken: 'InvalidRecipient',
  throttled: 'RateLimit',
  unavailable: 'ServiceUnavailable',
  serverError: 'InternalServerError',
  payloadRefused: 'InvalidMessage',
  wrongTopic: 'Forbidden',
  expiredAuth: 'Unauthorized',
};

const retryKeyIn = ({ 'x-line-retry-key': given }: IncomingHttpHeaders): string =>
  typeof given === 'string' ? given : '';

/** Known by retry keys: requests carry no statistics hash. */
export class Line implements Provider {
  readonly name = 'line';
  readonly #keys: Keys;
  readonly #ledger: Ledger;
  readonly #faults: Readonly<ProviderFaults>;
  readonly #attempts = new Attempts();
  readonly #accepted = new Map<string, string>();

  constructor({ keys, ledger, faults }: LineDeps) {
    this.#keys = keys;
    this.#ledger = ledger;
    this.#faults = faults.of('line');
  }

  handle({ method, path, headers, body }: ProviderRequest): Reaction {
    const { to, isValid } = lineRequestIn(body);
    const key = retryKeyIn(headers);
    const push: Push = { token: to, hash: key, collapseId: key, id: '', payload: body };
    const { answer } = this.#faults;
    if (answer !== null) return this.#refuse(push, isLineReason(answer) ? answer : 'InternalServerError');
    if (method !== 'POST' || path !== PATH) return this.#refuse(push, 'NotFound');
    const authorization = headers.authorization ?? '';
    if (!this.#isKnown(authorization)) return this.#refuse(push, 'Unauthorized');
    if (key !== '' && !UUID.test(key)) return this.#refuse(push, 'InvalidMessage');
    const asked = parseLineUser(to);
    if (asked === undefined) return this.#refuse(push, 'InvalidRecipient');
    if (!isValid) return this.#refuse(push, 'InvalidMessage');
    const accepted = this.#accepted.get(key);
    if (accepted !== undefined) return this.#conflict(push, accepted);
    return this.#perform(push, asked, authorization);
  }

  #isKnown(authorization: string): boolean {
    return authorization.startsWith('Bearer ') && this.#keys.isClient('line', authorization.slice(7));
  }

  reset(): void {
    this.#attempts.clear();
    this.#accepted.clear();
  }

  #perform(push: Push, asked: LineRequestOfUser, credential: string): Reaction {
    const cue = { ...asked, token: push.token, credential };
    return perform(sceneOf(cue, this.#attempts), {
      accept: () => this.#accept(push),
      refuse: (as) => this.#refuse(push, as === 'reason' ? asked.reason : reasons[as]),
      garble: () => ({ ...this.#accept(push), body: '{"sentMess' }),
      vanish: (reason) => this.#record(push, 0, reason),
    });
  }

  #accept(push: Push): Answer {
    const id = this.#ledger.of('line').nextId();
    this.#record(push, 200, ACCEPTED);
    if (this.#accepted.size >= KEYS_MAX) this.#accepted.clear();
    if (push.collapseId !== '') this.#accepted.set(push.collapseId, id);
    const body = JSON.stringify({ sentMessages: [{ id: String(id).slice(-12) }] });
    return { does: 'answer', status: 200, headers: [...jsonHeaders, 'x-line-request-id', id], body };
  }

  /** A repeat of an accepted request reaches nobody. */
  #conflict(push: Push, accepted: string): Answer {
    const answer = this.#refuse(push, 'Conflict');
    return { ...answer, headers: [...answer.headers, 'x-line-accepted-request-id', accepted] };
  }

  #refuse(push: Push, reason: LineReason): Answer {
    const { status } = LINE_REASONS[reason];
    this.#record(push, status, reason);
    const wait = status === 503 ? ['retry-after', String(this.#faults.retryAfterSeconds)] : [];
    return { does: 'answer', status, headers: [...jsonHeaders, ...wait], body: lineBodyOf(reason) };
  }

  #record(push: Push, status: number, reason: string): void {
    this.#ledger.of('line').record(push, status, reason);
  }
}
