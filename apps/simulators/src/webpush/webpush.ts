import type { IncomingHttpHeaders } from 'node:http';
import { decrypt } from 'http_ece';
import { Attempts, perform, type Refusal, sceneOf } from '../behaviour.ts';
import type { Faults, ProviderFaults } from '../provider-faults.ts';
import type { Keys } from '../provider-keys.ts';
import type { Ledger } from '../ledger.ts';
import { ACCEPTED, type Push } from '../ledger/entries.ts';
import type { Answer, Provider, ProviderRequest, Reaction } from '../provider.ts';
import { ReceivedVapid } from './received-vapid.ts';
import { isWebPushReason, WEB_PUSH_REASONS, type WebPushReason } from './webpush-reasons.ts';
import { keysOf, parseWebPushPath, type WebPushRequestOfPath } from './webpush-subscriptions.ts';

export interface WebPushDeps {
  readonly keys: Keys;
  readonly ledger: Ledger;
  readonly faults: Faults;
  readonly now: () => number;
}

const BODY_MAX = 4096;
const URGENCIES: ReadonlySet<string> = new Set(['very-low', 'low', 'normal', 'high']);
const EMPTY = Buffer.alloc(0);

export const webPushIdOf = (row: number): string => `m-${row}`;

const reasons: Readonly<Record<Exclude<Refusal, 'reason'>, WebPushReason>> = {
  dead: 'Gone',
  badToken: 'NotFound',
  throttled: 'TooManyRequests',
  unavailable: 'ServiceUnavailable',
  serverError: 'InternalServerError',
  payloadRefused: 'PayloadTooLarge',
  wrongTopic: 'Forbidden',
  expiredAuth: 'Unauthorized',
};

const textOf = (headers: IncomingHttpHeaders, name: string): string => {
  const value = headers[name];
  return typeof value === 'string' ? value : '';
};

/** Required or restricted by RFC 8030. */
function headerFlaw(headers: IncomingHttpHeaders): WebPushReason | undefined {
  const { topic, urgency } = headers;
  const fits =
    /^\d+$/.test(textOf(headers, 'ttl')) &&
    textOf(headers, 'content-encoding') === 'aes128gcm' &&
    (urgency === undefined || (typeof urgency === 'string' && URGENCIES.has(urgency))) &&
    (topic === undefined || (typeof topic === 'string' && /^[\w-]{1,32}$/.test(topic)));
  return fits ? undefined : 'BadRequest';
}

/** Undefined if the browser could not read the body. */
function plaintextFor(id: string, body: Buffer): Buffer | undefined {
  const { ecdh, authSecret } = keysOf(id);
  try {
    return decrypt(body, { version: 'aes128gcm', privateKey: ecdh, authSecret });
  } catch {
    return undefined;
  }
}

function hashIn(plaintext: Buffer): string {
  try {
    const { p } = JSON.parse(plaintext.toString('utf8')) as { readonly p?: unknown };
    return typeof p === 'string' ? p : '';
  } catch {
    return '';
  }
}

/** RFC 8030, with the browsers behind it: reads what only they could. */
export class WebPush implements Provider {
  readonly name = 'webpush';
  readonly #ledger: Ledger;
  readonly #faults: Readonly<ProviderFaults>;
  readonly #vapid: ReceivedVapid;
  readonly #attempts = new Attempts();

  constructor({ keys, ledger, faults, now }: WebPushDeps) {
    this.#ledger = ledger;
    this.#faults = faults.of('webpush');
    this.#vapid = new ReceivedVapid(keys, now);
  }

  handle(request: ProviderRequest): Reaction {
    const { headers, body, path } = request;
    const asked = parseWebPushPath(path);
    const plaintext = asked === undefined ? undefined : plaintextFor(asked.id, body);
    const push: Push = {
      token: path,
      hash: plaintext === undefined ? '' : hashIn(plaintext),
      collapseId: textOf(headers, 'topic'),
      id: '',
      payload: plaintext ?? EMPTY,
    };
    const { answer } = this.#faults;
    if (answer !== null) return this.#refuse(push, isWebPushReason(answer) ? answer : 'InternalServerError');
    const flaw = this.#flawOf(request);
    if (flaw !== undefined) return this.#refuse(push, flaw);
    if (asked === undefined) return this.#refuse(push, 'NotFound');
    // A push service could not know, but a test must.
    if (plaintext === undefined) return this.#refuse(push, 'BadRequest');
    return this.#perform(push, asked, textOf(headers, 'authorization'));
  }

  reset(): void {
    this.#attempts.clear();
  }

  #perform(push: Push, asked: WebPushRequestOfPath, credential: string): Reaction {
    const cue = { ...asked, token: push.token, credential };
    return perform(sceneOf(cue, this.#attempts), {
      accept: () => this.#accept(push),
      refuse: (as) => this.#refuse(push, as === 'reason' ? asked.reason : reasons[as]),
      garble: () => ({ ...this.#accept(push), body: '{"mess' }),
      vanish: (reason) => this.#record(push, 0, reason),
    });
  }

  #flawOf({ method, headers, body }: ProviderRequest): WebPushReason | undefined {
    if (method !== 'POST') return 'NotFound';
    if (body.length > BODY_MAX) return 'PayloadTooLarge';
    return this.#vapid.refusal(headers) ?? headerFlaw(headers);
  }

  #accept(push: Push): Answer {
    const location = `/message/${this.#ledger.of('webpush').nextId()}`;
    this.#record(push, 201, ACCEPTED);
    return { does: 'answer', status: 201, headers: ['location', location], body: '' };
  }

  #refuse(push: Push, reason: WebPushReason): Answer {
    const status = WEB_PUSH_REASONS[reason];
    this.#record(push, status, reason);
    const headers = ['content-type', 'application/json'];
    if (status === 429 || status === 503) headers.push('retry-after', String(this.#faults.retryAfterSeconds));
    return { does: 'answer', status, headers, body: JSON.stringify({ reason }) };
  }

  #record(push: Push, status: number, reason: string): void {
    this.#ledger.of('webpush').record(push, status, reason);
  }
}
