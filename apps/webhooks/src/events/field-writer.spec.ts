import { describe, expect, it } from '@jest/globals';
import { Attributes, WebhookRequest } from '@tidings/rpc';
import { FieldWriter } from './field-writer.ts';

const encoded = (fields: Partial<WebhookRequest>): Uint8Array =>
  WebhookRequest.encode(WebhookRequest.fromPartial(fields)).finish();
const HWID = encoded({ hwid: 'x' }).subarray(0, -2);
const UUID = encoded({ uuid: 'x' }).subarray(0, -2);
const ATTRIBUTES = encoded({ attributes: Attributes.fromPartial({}) }).subarray(0, -1);
const BODY = Attributes.encode(Attributes.fromPartial({ iosBody: 'x' }))
  .finish()
  .subarray(0, -2);

const texts = [
  '',
  'a',
  'é',
  'aé😀',
  '\ud800',
  ...[41, 42, 43, 127, 128, 16_383, 16_384, 70_000].map((n) => 'b'.repeat(n)),
];
const wide = texts.map((text) => text.replaceAll('b', '€'));

const textOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');

describe('a message of single fields', () => {
  it.each([...texts, ...wide].map((text) => [text.length, text] as const))(
    'is encoded as by its type: %i units',
    (_, text) => {
      const writer = new FieldWriter();
      const messages = [0, 1, 2].map((i) => {
        writer.text(HWID, 'of a message that was not ended');
        writer.begin();
        writer.fields(encoded({ eventName: 'Push Sent' }));
        writer.text(HWID, text);
        writer.nested(ATTRIBUTES, () => writer.text(BODY, i === 1 ? Buffer.from(text) : text));
        writer.text(UUID, `${i}`);
        return writer.end();
      });
      const shown = text.toWellFormed();
      const attributes = Attributes.fromPartial({ iosBody: shown });
      const expected = [0, 1, 2].map((i) => encoded({ eventName: 'Push Sent', hwid: shown, attributes, uuid: `${i}` }));
      expect(messages.map(textOf)).toEqual(expected.map(textOf));
    },
  );
});
