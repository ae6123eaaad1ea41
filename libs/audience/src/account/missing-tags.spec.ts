import { describe, expect, it } from '@jest/globals';
import { TagType } from '@tidings/events';
import { tagNumber } from '../default-tags.ts';
import { decideTag, fitTags, type MissingTag, type TagState } from './tags.ts';

const { TAG_TYPE_INTEGER: INTEGER, TAG_TYPE_STRING: STRING } = TagType;
const missing = (...names: string[]): MissingTag[] => names.map((name) => ({ name, type: INTEGER }));
const stateOf = (name: string, deleted: boolean): TagState => ({
  kind: 'tag',
  account: 'a',
  name,
  type: STRING,
  number: 64,
  applicationSpecific: true,
  deleted,
});

const view = {
  tag: (name: string) => (name === 'there' || name === 'deleted' ? stateOf(name, name === 'deleted') : undefined),
  counts: () => ({ tagsMade: 7, tagsDeleted: 2, clearing: [] }),
};

describe('missing tags (R-G6)', () => {
  it('are added together with numbers in a row, without the existing ones', () => {
    const tags = [...missing('there', 'Language', 'first', 'deleted'), { name: 'text', type: STRING }];
    const added = decideTag(view, { type: 'addMissingTags', tags }, 3);
    const valueOf = (index: number, name: string, type: TagType) => ({
      $case: 'tagAdded',
      value: { number: tagNumber(7 + index, type, false), name, type, applicationSpecific: false },
    });
    expect(added).toEqual([valueOf(0, 'first', INTEGER), valueOf(1, 'deleted', INTEGER), valueOf(2, 'text', STRING)]);
  });

  it('are added up to the quota, and the others are reported (R-LM7)', () => {
    const tags = missing('one', 'there', 'two', 'three', 'four');
    expect(fitTags(view, tags, 2)).toEqual({ added: missing('one', 'two'), refused: ['three', 'four'] });
    expect(decideTag(view, { type: 'addMissingTags', tags }, 2)).toHaveLength(2);
    // An operator may have set a smaller quota than is used.
    expect(fitTags(view, tags, -3)).toEqual({ added: [], refused: ['one', 'two', 'three', 'four'] });
    expect(decideTag(view, { type: 'addMissingTags', tags }, -3)).toEqual([]);
  });

  it('are added once, and only with a valid name and type', () => {
    const tags = [...missing('twice', 'twice', '', ' blank', 'x'.repeat(256)), { name: 'none', type: 0 as TagType }];
    expect(fitTags(view, tags, 1)).toEqual({ added: missing('twice'), refused: [] });
  });
});
