import { describe, expect, it } from '@jest/globals';
import { type Content, WhatsAppContent } from '@tidings/events';
import { isHashOf, type TestDevice, texts, TOKEN, written } from '../testing/payloads.ts';
import { whatsapp } from './whatsapp-definition.ts';

const bodyOf = (fields: Partial<Content>, of: TestDevice = {}): Record<string, unknown> => {
  const { biz_opaque_callback_data: _, ...body } = JSON.parse(written(whatsapp, fields, of).body.toString()) as Record<
    string,
    unknown
  >;
  return body;
};
const own = (fields: Partial<WhatsAppContent>): Partial<Content> => ({
  whatsApp: { ...WhatsAppContent.fromPartial({}), ...fields },
});
const componentsOf = (fields: Partial<WhatsAppContent>, of: TestDevice & { tags?: string[] } = {}) =>
  (
    bodyOf({ ...own({ template: 'order', ...fields }), tags: of.tags ?? [] }, of)['template'] as Record<string, unknown>
  )['components'];

describe('the file in a header', () => {
  const fileOf = (text: string, placeholders = '{}') => {
    const fields = { ...own({ template: 'order', header: { name: 'image', text } }), tags: ['photo'], placeholders };
    const template = bodyOf(fields, { values: ['https://cdn/a b.png'] })['template'];
    return (template as { components: { parameters: { image: unknown }[] }[] }).components[0]!.parameters[0]!.image;
  };

  it.each([
    ['{{url}}', '{"url":"https://cdn/1.png"}', { link: 'https://cdn/1.png' }],
    ['{{id}}', '{"id":"1013859600285441"}', { id: '1013859600285441' }],
    ['{{photo}}', '{}', { link: 'https://cdn/a%20b.png' }],
    ['https://cdn/{{id}}.png', '{"id":"a b/c"}', { link: 'https://cdn/a%20b/c.png' }],
  ])('is a link or an id by the value of %s (R-I17)', (text, placeholders, file) => {
    expect(fileOf(text, placeholders)).toEqual(file);
  });
});

describe('a WhatsApp request', () => {
  it('sends a text to the number, and its receipts name message and device', () => {
    const body = JSON.parse(written(whatsapp, {}).body.toString()) as Record<string, unknown>;
    const { biz_opaque_callback_data: key, ...rest } = body;
    expect(rest).toEqual({
      messaging_product: 'whatsapp',
      recipient_type: 'individual',
      to: TOKEN,
      type: 'text',
      text: { body: 'Hello' },
    });
    const [hash, token] = String(key).split(' ');
    expect([isHashOf(hash, 21), token]).toEqual([true, TOKEN]);
  });

  it('leaves out the prefix of contacts', () => {
    const token = 'whatsapp:+491712345678';
    const { to, biz_opaque_callback_data: key } = JSON.parse(
      written(whatsapp, {}, { token }).body.toString(),
    ) as Record<string, string>;
    expect([to, key!.split(' ')[1]]).toEqual(['+491712345678', token]);
  });

  it('prefers the text for WhatsApp, in the language, with the values of tags', () => {
    const fields = { ...own({ text: texts({ en: 'Hi {{Name}}', de: 'Hallo {{Name}}' }) }), tags: ['Name'] };
    expect(bodyOf(fields, { language: 'de', values: ['A"nna'] })['text']).toEqual({ body: 'Hallo A"nna' });
  });

  it('sends a template without text, and without components that have no values', () => {
    const body = bodyOf(own({ template: 'order' }));
    expect([body['type'], body['text'], body['template']]).toEqual([
      'template',
      undefined,
      { name: 'order', language: { code: 'en_US' } },
    ]);
    expect(bodyOf(own({ template: 'order', language: 'de' }))['template']).toMatchObject({ language: { code: 'de' } });
  });

  it.each<[string, Partial<WhatsAppContent>, unknown]>([
    [
      'numbered values in the order of their numbers',
      { body: [10, 1, 2].map((n) => ({ name: String(n), text: `v${n}` })) },
      [{ type: 'body', parameters: ['v1', 'v2', 'v10'].map((text) => ({ type: 'text', text })) }],
    ],
    [
      'named values with their names',
      { body: [{ name: 'first_name', text: 'Anna' }] },
      [{ type: 'body', parameters: [{ type: 'text', parameter_name: 'first_name', text: 'Anna' }] }],
    ],
    [
      'ends of the URLs of buttons',
      {
        buttons: [
          { name: '0', text: 'a?b=1' },
          { name: '2', text: 'c' },
        ],
      },
      [
        { type: 'button', sub_type: 'url', index: '0', parameters: [{ type: 'text', text: 'a?b=1' }] },
        { type: 'button', sub_type: 'url', index: '2', parameters: [{ type: 'text', text: 'c' }] },
      ],
    ],
    [
      'a header before the body',
      { header: { name: 'text', text: 'Order 7' }, body: [{ name: '1', text: 'a' }] },
      [
        { type: 'header', parameters: [{ type: 'text', text: 'Order 7' }] },
        { type: 'body', parameters: [{ type: 'text', text: 'a' }] },
      ],
    ],
    [
      'a picture by its URL',
      { header: { name: 'image', text: 'https://example.com/1.png' } },
      [{ type: 'header', parameters: [{ type: 'image', image: { link: 'https://example.com/1.png' } }] }],
    ],
    [
      'a document by its id',
      { header: { name: 'document', text: '1013859600285441' } },
      [{ type: 'header', parameters: [{ type: 'document', document: { id: '1013859600285441' } }] }],
    ],
  ])('has %s', (_, fields, components) => {
    expect(componentsOf(fields)).toEqual(components);
  });

  it('fills tags into every value, and percent-encodes them in URLs of buttons', () => {
    const fields = { body: [{ name: '1', text: '{{Name}}' }], buttons: [{ name: '0', text: 'u/{{Name}}' }] };
    expect(componentsOf(fields, { values: ['A & B'], tags: ['Name'] })).toMatchObject([
      { type: 'body', parameters: [{ text: 'A & B' }] },
      { type: 'button', parameters: [{ text: 'u/A%20%26%20B' }] },
    ]);
    const { urls } = whatsapp.ownTextsOf(own({ template: 'order', ...fields }) as Content);
    expect(urls).toEqual(['{{Name}}', 'u/{{Name}}']);
  });

  it.each([
    ['é'.repeat(4096), true],
    ['é'.repeat(4097), false],
    ['x'.repeat(2_000_000), false],
  ])('contains up to 4,096 characters of text (%#)', (text, fits) => {
    const { body, limit } = written(whatsapp, { text: texts({ default: text }) });
    expect(whatsapp.fits(body, limit)).toBe(fits);
  });
});
