import { beforeEach, describe, expect, it } from '@jest/globals';
import { TagType } from '@tidings/events';
import { isSharedTag, tagTypeOf } from '../default-tags.ts';
import type { TagState } from './tags.ts';
import { Accounts, addTag } from './testing/accounts.ts';

describe('an account', () => {
  let accounts: Accounts;
  beforeEach(() => {
    accounts = new Accounts();
  });

  it('numbers its tags by type and scope', () => {
    accounts.do('a', addTag(' Level '));
    accounts.do('a', addTag('level', TagType.TAG_TYPE_LIST, true));
    accounts.do('b', addTag('Level'));
    const tag = (account: string, name: string) => accounts.states.get(`tag ${account} ${name}`) as TagState;
    expect(tagTypeOf(tag('a', 'Level').number)).toBe(TagType.TAG_TYPE_INTEGER);
    expect(isSharedTag(tag('a', 'Level').number)).toBe(true);
    expect(tagTypeOf(tag('a', 'level').number)).toBe(TagType.TAG_TYPE_LIST);
    expect(isSharedTag(tag('a', 'level').number)).toBe(false);
    expect(tag('b', 'Level').number).toBe(tag('a', 'Level').number);
  });

  it.each([
    ['Level', TagType.TAG_TYPE_STRING, 'Tag already exists'],
    ['Language', TagType.TAG_TYPE_STRING, 'Tag already exists'],
    ['New', 8 as TagType, 'tag.type: must be 1 to 7'],
    ['  ', TagType.TAG_TYPE_STRING, 'tag.name: '],
    ['x'.repeat(256), TagType.TAG_TYPE_STRING, 'tag.name: '],
  ])('refuses the tag %j of type %s', (name, type, text) => {
    accounts.do('a', addTag('Level'));
    expect(() => accounts.do('a', addTag(name, type))).toThrow(text);
  });

  it('deletes a tag, whose number is never used again, and clears it once', () => {
    accounts.do('a', addTag('Level'));
    const number = (accounts.states.get('tag a Level') as TagState).number;
    accounts.do('a', { type: 'deleteTag', name: 'Level' });
    expect(() => accounts.do('a', { type: 'deleteTag', name: 'Level' })).toThrow('Tag not found');
    expect(() => accounts.do('a', { type: 'deleteTag', name: 'Language' })).toThrow('Tag is a default tag');
    accounts.do('a', addTag('Level'));
    expect((accounts.states.get('tag a Level') as TagState).number).not.toBe(number);
    expect(accounts.states.get('account a')).toMatchObject({ tagsMade: 2, tagsDeleted: 1, clearing: [number] });
    expect(accounts.do('a', { type: 'clearTag', number })).toHaveLength(1);
    expect(accounts.do('a', { type: 'clearTag', number })).toEqual([]);
  });
});
