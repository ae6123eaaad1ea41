import { describe, expect, it } from '@jest/globals';
import type { LiveFilter, TagDefinition } from '@tidings/audience';
import { Expression, Operator, TagType } from '@tidings/events';
import type { Tags, TagSet } from '@tidings/registry-store';
import { MAX_DEPTH } from '@tidings/segments';
import { meaningOf } from './stored-filters.ts';

const on = (tag: number): Expression => ({
  node: {
    $case: 'tag',
    value: { tag, type: TagType.TAG_TYPE_INTEGER, operator: Operator.OPERATOR_EQ, operands: [], application: '' },
  },
});
const all = (...of: Expression[]): Expression => ({ node: { $case: 'all', value: { of } } });
const any = (...of: Expression[]): Expression => ({ node: { $case: 'any', value: { of } } });

const filterOf = (expression: Expression): LiveFilter => ({
  kind: 'filter',
  account: 'a',
  live: true,
  code: '52551-F2F42',
  name: 'Regulars',
  text: '',
  expression: Expression.encode(expression).finish(),
  nesting: 0,
  application: '',
  createdAt: new Date(0),
});

function tagsOf(known: readonly number[], current = known): Tags {
  const setOf = (numbers: readonly number[]): TagSet => {
    const numbered = (number: number): TagDefinition | undefined =>
      numbers.includes(number)
        ? { number, name: `${number}`, type: TagType.TAG_TYPE_INTEGER, applicationSpecific: true }
        : undefined;
    return { numbered, named: () => undefined, all: [] };
  };
  return {
    of: () => Promise.resolve(setOf(known)),
    read: () => Promise.resolve(setOf(current)),
    cached: () => setOf(known),
  };
}

describe('the meaning of a filter', () => {
  const meaning = (expression: Expression, tags = tagsOf([70, 71])): Promise<Expression> =>
    meaningOf(filterOf(expression), tags);

  it('is the stored one, with deleted tags replaced by a tag that no device has, once no cache contains them (R-D2)', async () => {
    expect(await meaning(all(on(70), on(71)))).toEqual(all(on(70), on(71)));
    expect(await meaning(all(on(70), on(71)), tagsOf([70]))).toEqual(all(on(70), on(0)));
    expect(await meaning(all(on(70), on(71)), tagsOf([70], [70, 71]))).toEqual(all(on(70), on(71)));
  });

  const within = (levels: number, wrap: (inner: Expression) => Expression): Expression =>
    Array.from({ length: levels }).reduce<Expression>(wrap, on(70));

  it('is flattened if possible', async () => {
    const nested = within(MAX_DEPTH + 5, (inner) => any(inner, on(71)));
    expect(await meaning(nested)).toEqual(any(on(70), ...Array.from({ length: MAX_DEPTH + 5 }, () => on(71))));
  });

  it.each([MAX_DEPTH / 2, 100])('is refused if no message could hold it: %d alternations', async (alternations) => {
    const nested = within(alternations, (inner) => all(any(inner, on(71)), on(71)));
    await expect(meaning(nested)).rejects.toThrow('nested too deeply');
  });
});
