import { describe, expect, it, jest } from '@jest/globals';
import { languagesOf, tagsOf } from './content-texts.ts';
import { android, content, ios, texts } from './testing/payloads.ts';

describe('languages of a content', () => {
  it('are those of all its texts', () => {
    const given = content({
      text: texts({ en: 'Hello', default: 'Hi' }),
      title: texts({ de: 'Neues' }),
      ios: ios({ subtitle: texts({ fr: 'Salut' }) }),
      android: android({ title: texts({ it: 'Ciao', en: 'Hello' }) }),
    });
    expect([...languagesOf(given)].toSorted()).toEqual(['de', 'default', 'en', 'fr', 'it']);
  });
});

describe('tags of a content', () => {
  it('are those without a value in the request, in order of appearance', () => {
    const given = content({
      text: texts({ en: 'Dear {{Name}}, {{given}} {{City||x}}', de: 'Liebe {{Vorname}}' }),
      title: texts({ default: '{{Name}} {{user.age}}' }),
      link: 'https://example.com/{{Path}}',
      remotePage: 'https://example.com/{{Page}}',
      data: '{"a":"{{Data}}"}',
      bindings: '{"user":{"age":7,"id":12345678901234567890}}',
      placeholders: '{"given":"yes","City":""}',
      ios: ios({ attachment: 'https://example.com/{{Picture}}', rootParams: '{"a":"{{Root}}"}' }),
      android: android({ text: texts({ en: '{{Droid}}' }), banner: 'https://example.com/{{Banner}}' }),
    });
    expect(tagsOf(given)).toEqual(['Name', 'City', 'Vorname', 'Droid', 'Path', 'Page', 'Picture', 'Banner']);
  });

  it('are listed once, however often they are named', () => {
    const bindings = JSON.stringify({ a: Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`k${i}`, i])) });
    const text = texts({ en: '{{a}}{{b}}'.repeat(5_000), de: '{{a}}'.repeat(5_000) });
    const written = jest.spyOn(JSON, 'stringify');
    expect(tagsOf(content({ text, bindings }))).toEqual(['b']);
    expect(written).toHaveBeenCalledTimes(1);
    written.mockRestore();
  });

  it('keep large integers of the request exact', () => {
    expect(tagsOf(content({ text: texts({ en: '{{id}}' }), bindings: '{"id":12345678901234567890}' }))).toEqual([]);
  });
});
