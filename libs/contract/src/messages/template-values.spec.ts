import { describe, expect, it } from '@jest/globals';
import { templateValues } from './template-values.ts';

const VALUES = [
  { name: '1', text: 'Anna' },
  { name: '2', text: '7' },
  { name: '3', text: 'true' },
];

describe('values of a template', () => {
  it.each([
    [{ 1: 'Anna', 2: 7, 3: true, 4: null }, VALUES],
    ['{"1":"Anna","2":7,"3":true,"4":null}', VALUES],
    [{}, []],
    ['{}', []],
  ])('are texts by name: %j', (given, values) => {
    expect(templateValues().parse(given)).toEqual(values);
  });

  it.each([
    ['', 'must be an object or a JSON string of one'],
    ['[]', 'must be an object or a JSON string of one'],
    ['"a"', 'must be an object or a JSON string of one'],
    ['{', 'must be an object or a JSON string of one'],
    [7, 'must be an object or a JSON string of one'],
    [['a'], 'must be an object or a JSON string of one'],
    [`{"a":"${'x'.repeat(65_536)}"}`, 'must be an object or a JSON string of one'],
    [{ a: {} }, 'must be a string'],
    [{ [`${'x'.repeat(101)}`]: 'a' }, 'names of at most 100 characters'],
    [Object.fromEntries(Array.from({ length: 101 }, (_, i) => [i, 'a'])), 'at most 100 entries'],
  ])('are refused otherwise (%#)', (given, message) => {
    expect(templateValues().safeParse(given).error?.issues).toMatchObject([{ message }]);
  });

  it('have the names, and the number, that a field allows', () => {
    const one = templateValues({ pattern: /^[ab]$/, refusal: 'a or b', max: 1 });
    expect(one.parse({ a: 'x' })).toEqual([{ name: 'a', text: 'x' }]);
    expect(one.safeParse({ c: 'x' }).error?.issues).toMatchObject([{ message: 'a or b' }]);
    expect(one.safeParse({ a: 'x', b: 'y' }).error?.issues).toMatchObject([{ message: 'at most 1 entry' }]);
  });
});
