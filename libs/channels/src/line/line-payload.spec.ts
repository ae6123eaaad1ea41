import { describe, expect, it } from '@jest/globals';
import { type Content, LineContent, type LineTemplate } from '@tidings/events';
import { languagesOf, tagsOf } from '../content-texts.ts';
import { content, type TestDevice, texts, TOKEN, written } from '../testing/payloads.ts';
import { line } from './line-definition.ts';

const messageOf = (fields: Partial<Content>, of: TestDevice = {}): unknown => {
  const { to, messages } = JSON.parse(written(line, fields, of).body.toString()) as { to: string; messages: unknown[] };
  expect([to, messages.length]).toEqual([TOKEN, 1]);
  return messages[0];
};
const template = (language: string, kind: LineTemplate['kind']): LineTemplate => ({ language, kind });
const templates = (...each: LineTemplate[]): Partial<Content> => ({
  line: LineContent.fromPartial({ templates: each }),
});
const image = (url: string, previewUrl?: string): LineTemplate['kind'] => ({
  $case: 'image',
  value: { url, previewUrl },
});

describe('a message to LINE (R-I26)', () => {
  it('is the text of the message, its own before the common one', () => {
    expect(messageOf({ text: texts({ en: 'Hi "{{Name}}"' }), tags: ['Name'] }, { values: ['\\Anna'] })).toEqual({
      type: 'text',
      text: 'Hi "\\Anna"',
    });
    expect(messageOf({ line: LineContent.fromPartial({ text: texts({ default: 'Own' }) }) })).toEqual({
      type: 'text',
      text: 'Own',
    });
    expect(messageOf({ text: undefined, title: texts({ default: 'T' }) })).toEqual({ type: 'text', text: 'T' });
  });

  it('is a template rather than a text, in the language of the user, else default, en or the first', () => {
    const two = templates(template('de', image('https://h/de')), template('en', image('https://h/en', 'https://h/s')));
    expect(messageOf(two, { language: 'de' })).toEqual({
      type: 'image',
      originalContentUrl: 'https://h/de',
      previewImageUrl: 'https://h/de',
    });
    expect(messageOf(two)).toEqual({
      type: 'image',
      originalContentUrl: 'https://h/en',
      previewImageUrl: 'https://h/s',
    });
    expect([...languagesOf(content(two))].toSorted()).toEqual(['de', 'default', 'en']);
  });

  it('is a picture whose URL is the value of the user for a placeholder', () => {
    const url = 'https://h/1.png?a=1&b=2';
    expect(messageOf({ ...templates(template('en', image('{{Url}}'))), tags: ['Url'] }, { values: [url] })).toEqual({
      type: 'image',
      originalContentUrl: url,
      previewImageUrl: url,
    });
  });

  it('is a carousel of pictures that open at a tap', () => {
    const urls = ['https://h/{{Name}}', 'https://h/2'];
    const carousel = templates(template('default', { $case: 'carousel', value: { altText: 'See, {{Name}}', urls } }));
    expect(tagsOf(content(carousel))).toEqual(['Name']);
    const column = (url: string) => ({ imageUrl: url, action: { type: 'uri', uri: url } });
    expect(messageOf({ ...carousel, tags: ['Name'] }, { values: ['a/b c'] })).toEqual({
      type: 'template',
      altText: 'See, a/b c',
      template: { type: 'image_carousel', columns: [column('https://h/a/b%20c'), column('https://h/2')] },
    });
  });

  it('has no link to an address of more than 1,000 characters', () => {
    const address = (length: number) => 'https://h/'.padEnd(length, 'x');
    const urls = [address(1000), address(1001)];
    const message = messageOf(templates(template('default', { $case: 'carousel', value: { altText: 'A', urls } })));
    expect(message).toMatchObject({
      template: {
        columns: [
          { imageUrl: urls[0], action: { type: 'uri', uri: urls[0] } },
          { imageUrl: urls[1], action: { type: 'postback', data: '-' } },
        ],
      },
    });
  });

  it('is a layout of the caller, which is not searched for placeholders', () => {
    const flex = '{"type":"bubble","n":1.0,"t":"{{Name}}"}';
    const { body } = written(
      line,
      templates(template('en', { $case: 'flex', value: { altText: undefined, content: flex } })),
    );
    expect(body.toString()).toBe(
      `{"to":${JSON.stringify(TOKEN)},"messages":[{"type":"flex","altText":"{{Example}}","contents":${flex}}]}`,
    );
  });

  it('has a text of at most 5,000 characters as LINE counts them', () => {
    const fits = (text: string): boolean => {
      const { body, limit } = written(line, { text: texts({ default: text }) });
      return line.fits(body, limit);
    };
    expect(['ä'.repeat(5000), 'ä'.repeat(5001), '💚'.repeat(2500), '💚'.repeat(2501)].map(fits)).toEqual([
      true,
      false,
      true,
      false,
    ]);
  });
});
