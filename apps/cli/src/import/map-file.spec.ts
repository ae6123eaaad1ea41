import { describe, expect, it } from '@jest/globals';
import { parseMap } from './map-file.ts';

describe('a map', () => {
  it.each([
    ['hwid: { column: a', /^map\.yml: .+ at line 1, column \d+/],
    ['colour: { column: a }', /^map\.yml: unknown: colour$/],
    ['hwid: a', /^map\.yml: hwid: must be \{column\}, \{value\} or \{template\}$/],
    ['hwid: { column: a, value: b }', /^map\.yml: hwid: must be/],
    ['tags: { Level: { column: a, type: number } }', /^map\.yml: tags\.Level: must be/],
    ['- a', /^map\.yml: must be/],
  ])('is refused with the place: %j', (text, reason) => {
    expect(() => parseMap('map.yml', text)).toThrow(reason);
  });

  it('may be empty', () => expect(parseMap('map.yml', '# nothing yet\n')).toEqual({}));
});
