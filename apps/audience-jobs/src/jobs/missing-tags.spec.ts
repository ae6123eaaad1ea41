import { describe, expect, it } from '@jest/globals';
import { TagType } from '@tidings/events';
import { JobEntry } from '@tidings/rpc';
import { typeFor, typesIn } from './missing-tags.ts';

describe('tags that are created for their first value (R-G6)', () => {
  it.each([
    [true, TagType.TAG_TYPE_BOOLEAN],
    [3, TagType.TAG_TYPE_INTEGER],
    [0.5, TagType.TAG_TYPE_DECIMAL],
    [[], TagType.TAG_TYPE_LIST],
    ['2026-01-15 12:00', TagType.TAG_TYPE_DATE],
    ['2026-13-15 12:00', TagType.TAG_TYPE_STRING],
    ['2026-01-15', TagType.TAG_TYPE_STRING],
    ['3', TagType.TAG_TYPE_STRING],
    [null, undefined],
    [{ operation: 'increment', value: 1 }, undefined],
  ])('have the type of that value: %j', (value, type) => expect(typeFor(value)).toBe(type));

  it('have the type of the first value that determines one, and only valid names', () => {
    const long = '9007199254740993';
    const entries = [
      { tags: { a: null, b: 1, ' c': 1, '': 1, long, text: long }, integers: ['long'] },
      { tags: { a: 'text', b: 'text' } },
      {},
    ].map((entry) => JobEntry.fromPartial(entry));
    expect([...typesIn(entries)]).toEqual([
      ['b', TagType.TAG_TYPE_INTEGER],
      ['long', TagType.TAG_TYPE_INTEGER],
      ['text', TagType.TAG_TYPE_STRING],
      ['a', TagType.TAG_TYPE_STRING],
    ]);
  });
});
