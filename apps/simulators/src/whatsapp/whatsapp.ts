import type { LedgerEntry } from '../ledger/entries.ts';
import { requestOfPhone } from '../phone-numbers.ts';
import { jsonOf, pushSimulator } from '../push-simulator.ts';
import { bodyOf, WHATSAPP_ERRORS, type WhatsAppErrorName, whatsAppErrorNamed } from './whatsapp-errors.ts';
import { readMessage } from './whatsapp-message.ts';

const PATH = /^\/v\d+\.\d+\/(\d+)\/messages$/;
const TOKEN = /^Bearer EAA\w+$/;
const json = jsonOf('application/json; charset=UTF-8');

/** Numbers determine its answers. */
export const whatsApp = pushSimulator<WhatsAppErrorName>({
  name: 'whatsapp',
  http1: true,
  idOf: (row) => `wamid.HBgL${Buffer.from(`sim ${row}`).toString('base64')}`,
  reasons: WHATSAPP_ERRORS,
  refusals: {
    dead: 'UNDELIVERABLE',
    badToken: 'VALUE_INVALID',
    throttled: 'RATE_LIMIT',
    unavailable: 'SERVICE',
    serverError: 'SOMETHING_WRONG',
    payloadRefused: 'INVALID_PARAMETER',
    wrongTopic: 'NOT_REGISTERED',
    expiredAuth: 'TOKEN_EXPIRED',
  },
  retryAfter: [503],
  malformed: '{"messaging_product":"what',
  open: () => ({
    receive({ method, path, headers, body }) {
      const { push, error } = readMessage(body);
      const credential = headers.authorization ?? '';
      const flaw = TOKEN.test(credential) ? error : 'TOKEN_INVALID';
      return {
        push,
        credential,
        flaw: PATH.test(path) && method === 'POST' ? flaw : 'UNKNOWN_PATH',
        special: requestOfPhone(push.token, whatsAppErrorNamed),
      };
    },
    accepted({ token }, id) {
      const contact = { input: token, wa_id: token.replace('+', '') };
      return json(200, { messaging_product: 'whatsapp', contacts: [contact], messages: [{ id }] });
    },
    refused: (name) => json(WHATSAPP_ERRORS[name].status, bodyOf(WHATSAPP_ERRORS[name])),
  }),
});

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
