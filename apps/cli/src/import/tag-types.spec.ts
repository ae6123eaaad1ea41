import { describe, expect, it } from '@jest/globals';
import { type TagTypeName, typeOfBoth, typeOfValue } from './tag-types.ts';

describe('the type of a new tag', () => {
  it.each<[unknown[], TagTypeName | undefined]>([
    [['1', '-20', 0], 'integer'],
    [['1', '2.5'], 'decimal'],
    [[1, 2.5], 'decimal'],
    [['true', false], 'boolean'],
    [['2026-01-15 12:00', '2026-01-15T12:00:00Z'], 'date'],
    [['2026-01-15 12:00', 'x'], 'string'],
    [['007'], 'string'],
    [['1', 'true'], 'string'],
    [['a', ['b']], 'list'],
    [['', null, '5'], 'integer'],
    [['12345678901234567890'], 'string'],
    [['', null, {}], undefined],
  ])('accepts each of its values: %j', (values, type) => {
    const types = values.map(typeOfValue).filter((each) => each !== undefined);
    expect(types.length > 0 ? types.reduce(typeOfBoth) : undefined).toBe(type);
  });
});
