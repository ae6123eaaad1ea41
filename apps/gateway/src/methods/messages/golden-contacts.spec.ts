import { createSecretKey } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { ALERT, definitionOf } from '@tidings/channels';
import { api, type Notification } from '@tidings/contract';
import { Platform } from '@tidings/kernel';
import { messageKeyOf, PayloadWriter } from '@tidings/messaging';
import { completeContent } from '@tidings/testing/acceptance';
import { messageRequest } from './message-request.ts';

type Json = Readonly<Record<string, unknown>>;

const identity = { code: 'AF0B-EEFE4D5E-E445B2E9', messageId: 7n, campaignId: 0n };
const key = messageKeyOf(createSecretKey(new Uint8Array(32).fill(5)), 'AAAAA-00000', identity);
const application = 'AAAAA-00000';

function payloadOf(platform: number, notification: Notification, token: string): Json {
  const { code: message, ...ids } = identity;
  const content = completeContent(messageRequest(notification, {}));
  const push = {
    message,
    bucket: 0,
    ...ids,
    platform,
    variant: ALERT,
    applicationTitle: 'Example',
    content,
    entry: undefined,
  };
  const { payload, limit } = definitionOf(platform)!.compile(push, '', key);
  const columns = {
    chunk: 0,
    positions: Uint16Array.of(1),
    platform,
    checks: new Uint8Array(3),
    tags: 0,
    badges: new Int32Array(),
    tokens: Buffer.from(token),
    tokenEnds: Uint32Array.of(token.length),
    values: new Uint8Array(),
    valueEnds: new Uint32Array(),
  };
  return JSON.parse(new PayloadWriter().write(payload, columns, 0, limit).toString()) as Json;
}

const WHATSAPP = 'whatsapp:+4915112345678';
const whatsAppOf = (fields: Json): Json => {
  const notifications = [{ send_date: 'now', devices: [WHATSAPP], ...fields }];
  const [notification] = api.createWhatsAppMessage.parse({ application, notifications }).notifications;
  const { biz_opaque_callback_data: receiptKey, ...body } = payloadOf(
    Platform.WhatsApp,
    notification!.message,
    WHATSAPP,
  );
  expect(receiptKey).toMatch(/^P_0_7_bEL-4nm3p4-4bbkUN_\w{12} whatsapp:\+4915112345678$/);
  return body;
};
const addressed = { messaging_product: 'whatsapp', recipient_type: 'individual', to: '+4915112345678' };
const template = (fields: Json = {}): Json => ({
  ...addressed,
  type: 'template',
  template: { name: 'order', language: { code: 'en_US' }, ...fields },
});
const text = (value: string): Json => ({ type: 'text', text: value });

const KAKAO = 'kakao:01012345678';
const recipientOf = ({ recipientList: list, ...request }: Json): Json => {
  const [{ recipientGroupingKey: hash, ...recipient }] = list as [Json];
  expect(hash).toMatch(/^P_0_7_bEL-4nm3p4-4bbkUN_\w{12}$/);
  return { ...request, ...recipient };
};

describe('the whole payload of a message to contacts', () => {
  it.each<[Json, Json]>([
    [{ content: 'Hello' }, { ...addressed, type: 'text', text: { body: 'Hello' } }],
    [{ content: 'Hello', content_id: 'order' }, template()],
    [{ content_id: 'order', language: 'de' }, template({ language: { code: 'de' } })],
    [
      { content_id: 'order', content_variables: { 2: 17, 1: 'Anna' } },
      template({ components: [{ type: 'body', parameters: [text('Anna'), text('17')] }] }),
    ],
    [
      { content_id: 'order', content_variables: { name: '{{who}}' }, dynamic_content_placeholders: { who: 'Anna' } },
      template({ components: [{ type: 'body', parameters: [{ ...text('Anna'), parameter_name: 'name' }] }] }),
    ],
    [
      { content_id: 'order', button_url_variables: { 1: '17' } },
      template({ components: [{ type: 'button', sub_type: 'url', index: '1', parameters: [text('17')] }] }),
    ],
    [
      { content_id: 'order', header_variables: { text: 'News' } },
      template({ components: [{ type: 'header', parameters: [text('News')] }] }),
    ],
    ...['image', 'video', 'document'].map((kind): [Json, Json] => [
      { content_id: 'order', header_variables: { [kind]: 'https://example.com/17' } },
      template({
        components: [{ type: 'header', parameters: [{ type: kind, [kind]: { link: 'https://example.com/17' } }] }],
      }),
    ]),
  ])('has the form of WhatsApp for %j', (fields, payload) => {
    expect(whatsAppOf(fields)).toEqual(payload);
  });

  it.each<[Json, Json]>([
    [{}, {}],
    [{ kakao_content_variables: { name: 'Anna', n: 17 } }, { templateParameter: { name: 'Anna', n: '17' } }],
    [{ kakao_content_variables: '{"name":"{{who|Uppercase|x}}"}' }, { templateParameter: { name: 'x' } }],
  ])('has the form of Kakao for %j', (fields, recipient) => {
    const notifications = [{ send_date: 'now', devices: [KAKAO], template: 'order', ...fields }];
    const [notification] = api.createKakaoMessage.parse({ application, notifications }).notifications;
    const payload = payloadOf(Platform.Kakao, notification!, KAKAO);
    expect(recipientOf(payload)).toEqual({ templateCode: 'order', recipientNo: '01012345678', ...recipient });
  });
});
