import { describe, expect, it } from '@jest/globals';
import { checkOf } from './indexes.ts';

const refuses = (keys: Record<string, unknown>, document: Record<string, unknown>, more = {}): boolean => {
  try {
    checkOf([
      { name: '_id_', key: { _id: 1 } },
      { name: 'x', key: keys, ...more },
    ])?.(document);
    return false;
  } catch {
    return true;
  }
};

describe('checkOf', () => {
  it.each([
    ['short text', { a: 1 }, { a: 'x' }, false],
    ['text over 1,024 bytes', { a: 1 }, { a: 'x'.repeat(1020) }, true],
    ['text whose bytes are too many', { a: 1 }, { a: 'ü'.repeat(510) }, true],
    ['two texts that are too long together', { a: 1, b: -1 }, { a: 'x'.repeat(600), b: 'y'.repeat(600) }, true],
    ['long text that no index holds', { a: 1 }, { b: 'x'.repeat(9000) }, false],
    ['long text in an array', { 'tags.v': 1 }, { tags: [{ v: 'a' }, { v: 'x'.repeat(2000) }] }, true],
    ['short texts in a long array', { 'tags.v': 1 }, { tags: Array.from({ length: 999 }, () => ({ v: 'x' })) }, false],
    ['a large object as a key', { a: 1 }, { a: { b: 'x'.repeat(2000) } }, true],
    ['bytes', { a: 1 }, { a: new Uint8Array(2000) }, true],
    ['two arrays in one index', { 'a.k': 1, 'b.k': 1 }, { a: [{ k: 1 }], b: [{ k: 1 }] }, true],
    ['two fields of one array', { 'a.k': 1, 'a.v': 1 }, { a: [{ k: 1, v: 2 }] }, false],
    ['an array within an array', { 'a.k': 1, 'a.b.c': 1 }, { a: [{ k: 1, b: [{ c: 1 }] }] }, false],
    ['an array under a hashed index', { a: 'hashed' }, { a: [1] }, true],
    ['long text under a hashed index', { a: 'hashed' }, { a: 'x'.repeat(2000) }, false],
    ['a text index', { a: 'text' }, { a: 'x'.repeat(2000) }, false],
    ['nothing at the path', { 'a.b.c': 1 }, { a: { b: null } }, false],
  ])('reports a state that an index would refuse: %s', (_, keys, document, refused) => {
    expect(refuses(keys, document)).toBe(refused);
  });

  it('refuses every state under a unique index, which could refuse it after its commit', () => {
    expect(refuses({ a: 1 }, { a: 1 }, { unique: true })).toBe(true);
    expect(checkOf([{ name: '_id_', key: { _id: 1 } }])).toBeUndefined();
  });
});
