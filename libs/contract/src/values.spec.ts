import type { z } from 'zod';
import { bit, boolean, integer, integerOf, listOf, number, object, optional, text, textOf } from './values.ts';

const reason = (schema: z.ZodType, value: unknown): string | undefined =>
  schema.safeParse(value).error?.issues[0]?.message;

describe('loose scalars (R-ER7)', () => {
  it.each([
    [integer, 3, 3],
    [integer, 3.0, 3],
    [integer, '3', 3],
    [integer, '-7', -7],
    [integer, '+5', 5],
    [integer, '5.0', 5],
    [integer, '-5.00', -5],
    [number, '53.42', 53.42],
    [number, 1e-3, 0.001],
    [boolean, true, true],
    [boolean, 1, true],
    [boolean, '0', false],
    [boolean, 'false', false],
    [bit, '1', true],
    [text, 'a', 'a'],
    [text, 12, '12'],
    [optional(text), null, undefined],
  ])('are accepted in every spelling: %#', (schema: z.ZodType, value, taken) => {
    expect(schema.safeParse(value).data).toEqual(taken);
  });

  it.each([
    [integer, 1.5, 'must be an integer'],
    [integer, true, 'must be an integer'],
    [integer, '3.01', 'must be an integer'],
    [integer, '3.', 'must be an integer'],
    [integer, '++3', 'must be an integer'],
    [integer, '', 'must be an integer'],
    [integer, 1e20, 'must be an integer'],
    [integer, '99999999999999999999', 'must be an integer'],
    [number, true, 'must be a number'],
    [number, 'x', 'must be a number'],
    [number, '1e999', 'must be a number'],
    [boolean, 2, 'must be a boolean'],
    [boolean, 'yes', 'must be a boolean'],
    [bit, 2, 'must be 0 or 1'],
    [text, true, 'must be a string'],
    [text, [], 'must be a string'],
    [object({}), [], 'must be an object'],
    [listOf(text, 2), {}, 'must be an array'],
    [listOf(text, 2), [], 'must not be empty'],
    [listOf(text, 2), ['a', 'b', 'c'], 'at most 2 entries'],
    [integerOf(1, 7), 8, 'must be 1 to 7'],
  ])('are refused if they have another type: %#', (schema: z.ZodType, value, text) => {
    expect(reason(schema, value)).toBe(text);
  });

  it('are measured in code points, not UTF-16 units (R-LM4)', () => {
    expect(reason(textOf(1, 3), '😀😀😀')).toBeUndefined();
    expect(reason(textOf(1, 3), '😀😀😀😀')).toBe('must be 1 to 3 characters');
  });
});
