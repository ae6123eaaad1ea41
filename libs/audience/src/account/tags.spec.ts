import { describe, expect, it } from '@jest/globals';
import { TagType } from '@tidings/events';
import { isSharedTag, tagNumber, tagTypeOf } from '../default-tags.ts';
import { addTag, event, given, inAccount, tagAdded } from './testing/accounts.ts';

const { TAG_TYPE_INTEGER: INTEGER, TAG_TYPE_LIST: LIST, TAG_TYPE_STRING: STRING } = TagType;
const number = tagNumber(0, INTEGER, false);
const level = tagAdded('Level', number);

describe('an account', () => {
  it('numbers its tags by type and scope', () => {
    const second = tagAdded('level', tagNumber(1, LIST, true), { type: LIST, applicationSpecific: true });
    given().when(addTag(' Level ')).then(level);
    given(level)
      .when(addTag('level', LIST, true))
      .then(second);
    given(level, second).when(addTag('Level'), { account: 'b' }).then(inAccount('b', level));
    const after = given(level, second, inAccount('b', level));
    const numberOf = (name: string, account = 'a') => after.state('tag', name, account)!.number;
    expect(tagTypeOf(numberOf('Level'))).toBe(INTEGER);
    expect(isSharedTag(numberOf('Level'))).toBe(true);
    expect(tagTypeOf(numberOf('level'))).toBe(LIST);
    expect(isSharedTag(numberOf('level'))).toBe(false);
    expect(numberOf('Level', 'b')).toBe(numberOf('Level'));
  });

  it.each([
    ['Level', STRING, 'Tag already exists'],
    ['Language', STRING, 'Tag already exists'],
    ['New', 8 as TagType, 'tag.type: must be 1 to 7'],
    ['  ', STRING, 'tag.name: '],
    ['x'.repeat(256), STRING, 'tag.name: '],
  ])('refuses the tag %j of type %s', (name, type, text) => {
    given(level).when(addTag(name, type)).thenRefused(text);
  });

  it('deletes a tag, whose number is never used again, and clears it once', () => {
    const deleted = event('tagDeleted', { number, name: 'Level' });
    const again = tagAdded('Level', tagNumber(1, INTEGER, false));
    const cleared = event('tagCleared', { number });
    given(level).when({ type: 'deleteTag', name: 'Level' }).then(deleted);
    given(level, deleted).when({ type: 'deleteTag', name: 'Level' }).thenRefused('Tag not found');
    given(level, deleted).when({ type: 'deleteTag', name: 'Language' }).thenRefused('Tag is a default tag');
    given(level, deleted).when(addTag('Level')).then(again);
    const after = given(level, deleted, again);
    expect(after.state('tag', 'Level')?.number).not.toBe(number);
    expect(after.state('account')).toMatchObject({ tagsMade: 2, tagsDeleted: 1, clearing: [number] });
    after.when({ type: 'clearTag', number }).then(cleared);
    given(level, deleted, again, cleared).when({ type: 'clearTag', number }).then();
  });
});
