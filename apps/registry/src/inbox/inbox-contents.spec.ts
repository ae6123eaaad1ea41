import { describe, expect, it } from '@jest/globals';
import { Content, InboxContent } from '@tidings/events';
import { textsOf } from './inbox-contents.ts';

const reader = { language: 'de', platform: 1 };
const rendered = (fields: Partial<Content>) =>
  textsOf({ ...Content.create(), ...fields })(reader, (tag) => (tag === 'Name' ? 'a b/c' : undefined));

describe('an entry in an inbox (R-J5)', () => {
  it('has the keys of the payload that apply, each as text, and its picture', () => {
    const { actionType, params } = rendered({
      link: 'https://h/{{Name}}',
      data: '{"a":1}',
      metaData: '{"b":2}',
      richMedia: 'X',
      tags: ['Name'],
    });
    expect(JSON.parse(`${params}}`)).toEqual({
      l: 'https://h/a%20b%2Fc',
      rm: '{"code":"X"}',
      u: '{"a":1}',
      md: '{"b":2}',
    });
    expect(actionType).toBe(2);
    const inbox = InboxContent.fromPartial({ image: 'https://h/{{Name}}' });
    expect(rendered({ inbox, tags: ['Name'] }).image).toBe('https://h/a%20b/c');
    expect(rendered({})).toEqual({ title: '', text: '', image: '', actionType: 0, params: '{' });
  });
});
