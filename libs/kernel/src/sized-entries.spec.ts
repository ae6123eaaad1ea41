import { describe, expect, it } from '@jest/globals';
import { SizedEntries } from './sized-entries.ts';

describe('the sized entries of a map', () => {
  const mapOf = (options: { readonly atMost?: number; readonly maxBytes: number }) => {
    const entries = new SizedEntries<string>(options);
    const set = (key: string, bytes: number, content: object = {}): void => entries.set(key, key, { content, bytes });
    const found = (keys: string): string =>
      keys
        .split('')
        .filter((key) => entries.get(key) === key)
        .join('');
    return { entries, set, found };
  };

  it('are dropped from the oldest one on, by number and by bytes', () => {
    const { entries, set, found } = mapOf({ atMost: 3, maxBytes: 100 });
    for (const key of 'abcd') set(key, 10);
    expect(found('abcd')).toBe('bcd');
    set('e', 85);
    expect(found('abcde')).toBe('de');
    expect(entries.size).toBe(2);
  });

  it('are kept if they are the newest one, whatever its size', () => {
    const { set, found } = mapOf({ maxBytes: 100 });
    set('a', 10);
    set('b', 1000);
    expect(found('ab')).toBe('b');
    set('c', 10);
    expect(found('abc')).toBe('c');
  });

  it('count once if they share their content, as long as one of them is kept', () => {
    const { entries, set, found } = mapOf({ maxBytes: 100 });
    const content = {};
    for (const key of 'abc') set(key, 60, content);
    set('d', 40);
    expect(found('abcd')).toBe('abcd');
    for (const key of 'ab') entries.delete(key);
    set('e', 1);
    expect(found('cde')).toBe('de');
    set('f', 59);
    expect(found('def')).toBe('def');
  });

  it('are replaced and removed with their bytes', () => {
    const { entries, set, found } = mapOf({ maxBytes: 100 });
    for (let i = 0; i < 10; i++) set('a', 50);
    set('b', 50);
    expect(found('ab')).toBe('ab');
    entries.delete('a');
    entries.delete('a');
    set('c', 50);
    expect(found('abc')).toBe('bc');
  });
});
