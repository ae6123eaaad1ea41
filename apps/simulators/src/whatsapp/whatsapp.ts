import { Attempts, perform, type Refusal, sceneOf } from '../behaviour.ts';
import type { Ledger } from '../ledger.ts';
import { ACCEPTED, type LedgerEntry, type Push } from '../ledger/entries.ts';
import { requestOfPhone } from '../phone-numbers.ts';
import type { Answer, Provider, ProviderRequest, Reaction } from '../provider.ts';
import type { Faults, ProviderFaults } from '../provider-faults.ts';
import {
  bodyOf,
  isWhatsAppError,
  WHATSAPP_ERRORS,
  type WhatsAppErrorName,
  whatsAppErrorNamed,
} from './whatsapp-errors.ts';
import { readMessage } from './whatsapp-message.ts';

export interface WhatsAppDeps {
  readonly ledger: Ledger;
  readonly faults: Faults;
}

const PATH = /^\/v\d+\.\d+\/(\d+)\/messages$/;
const TOKEN = /^Bearer EAA\w+$/;
const jsonHeaders = ['content-type', 'application/json; charset=UTF-8'];

export const whatsAppIdOf = (row: number): string => `wamid.HBgL${Buffer.from(`sim ${row}`).toString('base64')}`;

const errorNames: Readonly<Record<Exclude<Refusal, 'reason'>, WhatsAppErrorName>> = {
  dead: 'UNDELIVERABLE',
  badToken: 'VALUE_INVALID',
  throttled: 'RATE_LIMIT',
  unavailable: 'SERVICE',
  serverError: 'SOMETHING_WRONG',
  payloadRefused: 'INVALID_PARAMETER',
  wrongTopic: 'NOT_REGISTERED',
  expiredAuth: 'TOKEN_EXPIRED',
};

/** Numbers determine its answers. */
export class WhatsApp implements Provider {
  readonly name = 'whatsapp';
  readonly #ledger: Ledger;
  readonly #faults: Readonly<ProviderFaults>;
  readonly #attempts = new Attempts();

  constructor({ ledger, faults }: WhatsAppDeps) {
    this.#ledger = ledger;
    this.#faults = faults.of('whatsapp');
  }

  handle({ method, path, headers, body }: ProviderRequest): Reaction {
    const { push, error } = readMessage(body);
    const credential = headers.authorization ?? '';
    const { answer } = this.#faults;
    if (answer !== null) return this.#refuse(push, isWhatsAppError(answer) ? answer : 'SOMETHING_WRONG');
    if (!PATH.test(path) || method !== 'POST') return this.#refuse(push, 'UNKNOWN_PATH');
    if (!TOKEN.test(credential)) return this.#refuse(push, 'TOKEN_INVALID');
    if (error !== undefined) return this.#refuse(push, error);
    const asked = requestOfPhone(push.token);
    if (asked === undefined) return this.#accept(push);
    return perform(sceneOf({ ...asked, token: push.token, credential }, this.#attempts), {
      accept: () => this.#accept(push),
      refuse: (as) => this.#refuse(push, as === 'reason' ? whatsAppErrorNamed(asked.argument) : errorNames[as]),
      garble: () => ({ ...this.#accept(push), body: '{"messaging_product":"what' }),
      vanish: (reason) => this.#record(push, 0, reason),
    });
  }

  reset(): void {
    this.#attempts.clear();
  }

  #accept(push: Push): Answer {
    const id = this.#ledger.of(this.name).nextId();
    this.#record(push, 200, ACCEPTED);
    const contact = { input: push.token, wa_id: push.token.replace('+', '') };
    const body = JSON.stringify({ messaging_product: 'whatsapp', contacts: [contact], messages: [{ id }] });
    return { does: 'answer', status: 200, headers: jsonHeaders, body };
  }

  #refuse(push: Push, name: WhatsAppErrorName): Answer {
    const error = WHATSAPP_ERRORS[name];
    this.#record(push, error.status, name);
    const headers = [...jsonHeaders];
    if (error.status === 503) headers.push('retry-after', String(this.#faults.retryAfterSeconds));
    return { does: 'answer', status: error.status, headers, body: bodyOf(error) };
  }

  #record(push: Push, status: number, reason: string): void {
    this.#ledger.of(this.name).record(push, status, reason);
  }
}

export type WhatsAppStatus = 'sent' | 'delivered' | 'read' | 'failed';

/** The ledger must keep payloads. */
export function whatsAppReceipts(entries: readonly LedgerEntry[], status: WhatsAppStatus): string {
  const statuses = entries.map(({ id, token, at, payload = '{}' }) => ({
    id,
    status,
    timestamp: String(Math.floor(at / 1000)),
    recipient_id: token.replace('+', ''),
    biz_opaque_callback_data: (JSON.parse(payload) as Record<string, unknown>)['biz_opaque_callback_data'],
  }));
  const metadata = { display_phone_number: '15550783881', phone_number_id: '106540352242922' };
  const value = { messaging_product: 'whatsapp', metadata, statuses };
  return JSON.stringify({
    object: 'whatsapp_business_account',
    entry: [{ id: '102290129340398', changes: [{ value, field: 'messages' }] }],
  });
}
