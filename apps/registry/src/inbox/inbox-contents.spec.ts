import { describe, expect, it } from '@jest/globals';
import { Content } from '@tidings/events';
import { textsOf } from './inbox-contents.ts';

const reader = { language: 'de', platform: 1 };
const rendered = (fields: Partial<Content>) =>
  textsOf({ ...Content.create(), ...fields })(reader, (tag) => (tag === 'Name' ? 'a b' : undefined));

describe('an entry in an inbox (R-J5)', () => {
  it('has the keys of the payload that apply, each as text', () => {
    const { actionType, params } = rendered({
      ...{ link: 'https://h/{{Name}}', data: '{"a":1}', metaData: '{"b":2}', richMedia: 'X', tags: ['Name'] },
    });
    expect(JSON.parse(`${params}}`)).toEqual({
      ...{ l: 'https://h/a%20b', rm: '{"code":"X"}', u: '{"a":1}', md: '{"b":2}' },
    });
    expect(actionType).toBe(2);
    expect(rendered({})).toEqual({ title: '', text: '', image: '', actionType: 0, params: '{' });
  });
});
