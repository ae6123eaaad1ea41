import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Kind } from '../behaviour.ts';
import { simulatedPhone } from '../phone-numbers.ts';
import { type Simulators, startSimulators } from '../simulators.ts';
import { hashOf } from '../testing/test-client.ts';
import { WHATSAPP_ERRORS } from './whatsapp-errors.ts';
import { whatsAppReceipts } from './whatsapp.ts';

type Body = Readonly<Record<string, unknown>>;

const KEY = `${hashOf('m', 1)} whatsapp:+15550000001`;
const number = simulatedPhone('accepted', 1);
const textTo = (to: string, more: Body = {}): Body => ({
  messaging_product: 'whatsapp',
  recipient_type: 'individual',
  to,
  type: 'text',
  text: { body: 'Hello' },
  biz_opaque_callback_data: KEY,
  ...more,
});
const template = (components?: readonly Body[]): Body => ({
  ...textTo(number),
  text: undefined,
  type: 'template',
  template: { name: 'order', language: { code: 'en_US' }, components },
});

describe('the Cloud API of WhatsApp', () => {
  let simulators: Simulators;
  beforeAll(async () => {
    simulators = await startSimulators({ control: false, keepPayloads: true });
  });
  beforeEach(() => simulators.reset());
  afterAll(() => simulators.close());

  const post = async (body: Body | string, token = 'EAAJB', path = '/v23.0/106540352242922/messages') => {
    const reply = await fetch(`${simulators.urlOf('whatsapp')}${path}`, {
      method: 'POST',
      body: typeof body === 'string' ? body : JSON.stringify(body),
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    });
    return { status: reply.status, headers: reply.headers, body: JSON.parse(await reply.text()) as Body };
  };
  const entries = () => simulators.ledger.of('whatsapp').entries();

  it('accepts a message and names it', async () => {
    const { status, body } = await post(textTo(number));
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { messaging_product: 'whatsapp', contacts: [{ input: number, wa_id: '15550000001' }] },
    });
    const [{ id }] = body['messages'] as [{ id: string }];
    expect(id).toMatch(/^wamid\./);
    expect(entries()).toMatchObject([{ token: number, hash: hashOf('m', 1), reason: 'accepted', id }]);
  });

  it.each<[Kind, number, number]>([
    ['dead', 400, 131026],
    ['badToken', 400, 131009],
    ['throttled', 429, 130429],
    ['unavailable', 503, 2],
    ['serverError', 500, 131000],
    ['payloadRefused', 400, 100],
    ['wrongTopic', 400, 133010],
    ['expiredAuth', 401, 190],
  ])('refuses numbers of the kind %s with %i and code %i', async (kind, status, code) => {
    const { body, headers, ...seen } = await post(textTo(simulatedPhone(kind, 1)));
    expect([seen.status, (body['error'] as Body)['code']]).toEqual([status, code]);
    expect(headers.has('retry-after')).toBe(status === 503);
  });

  it('refuses numbers of the kind reason with the error of their code', async () => {
    const { status, body } = await post(textTo(simulatedPhone('reason', 1, 131047)));
    expect([status, body['error']]).toMatchObject([400, { code: 131047 }]);
    expect(entries()).toMatchObject([{ reason: 'RE_ENGAGEMENT' }]);
  });

  it.each<[string, Body | string, string]>([
    ['what is no JSON', '{', 'INVALID_PARAMETER'],
    ['another product', textTo(number, { messaging_product: 'sms' }), 'INVALID_PARAMETER'],
    ['an unknown member', textTo(number, { extra: 1 }), 'INVALID_PARAMETER'],
    ['what is no number', textTo('whatsapp:+1555'), 'VALUE_INVALID'],
    ['an empty text', textTo(number, { text: { body: '' } }), 'PARAMETER_MISSING'],
    ['a long text', textTo(number, { text: { body: 'x'.repeat(4097) } }), 'INVALID_PARAMETER'],
    ['a long callback', textTo(number, { biz_opaque_callback_data: 'x'.repeat(513) }), 'INVALID_PARAMETER'],
    ['a template without a language', { ...template(), template: { name: 'a' } }, 'PARAMETER_MISSING'],
    ['a component without values', template([{ type: 'body', parameters: [] }]), 'VALUE_INVALID'],
    [
      'a button without a place',
      template([{ type: 'button', parameters: [{ type: 'text', text: 'a' }] }]),
      'VALUE_INVALID',
    ],
    [
      'a picture without a file',
      template([{ type: 'header', parameters: [{ type: 'image', image: {} }] }]),
      'VALUE_INVALID',
    ],
  ])('refuses %s', async (_, body, name) => {
    const { status, body: reply } = await post(body);
    const { code, ...error } = WHATSAPP_ERRORS[name as keyof typeof WHATSAPP_ERRORS];
    expect([status, reply['error']]).toMatchObject([error.status, { code, message: error.message }]);
  });

  it('accepts templates with values', async () => {
    const value = (text: string) => ({ parameters: [{ type: 'text', text }] });
    const components = [
      { type: 'header', parameters: [{ type: 'video', video: { link: 'https://example.com/1.mp4' } }] },
      { type: 'body', ...value('a') },
      { type: 'button', sub_type: 'url', index: '0', ...value('b') },
    ];
    for (const each of [template(), template(components)]) expect((await post(each)).status).toBe(200);
  });

  it('refuses other paths and tokens', async () => {
    expect((await post(textTo(number), 'secret')).status).toBe(401);
    expect((await post(textTo(number), 'EAAJB', '/v23.0/messages')).status).toBe(400);
  });

  it('reports the status of messages', async () => {
    await post(textTo(number));
    expect(JSON.parse(whatsAppReceipts(entries(), 'delivered'))).toMatchObject({
      object: 'whatsapp_business_account',
      entry: [
        {
          changes: [
            {
              field: 'messages',
              value: {
                statuses: [
                  {
                    status: 'delivered',
                    recipient_id: '15550000001',
                    biz_opaque_callback_data: KEY,
                    id: expect.stringMatching(/^wamid\./),
                  },
                ],
              },
            },
          ],
        },
      ],
    });
  });
});
