import { tagCondition } from '@tidings/audience';
import { type Expression, TagType } from '@tidings/events';
import type { FilterGroup } from '@tidings/rpc';
import { compile } from '@tidings/segments';
import { parsedFilter } from './structured.ts';

const tagged = (tag: string): Expression => ({
  node: { $case: 'tag', value: { tag: tag.length, type: 1, operator: 1, operands: [], application: '' } },
});
const compiled = (filter: FilterGroup): Expression =>
  compile(parsedFilter(filter), {
    hasApplication: () => true,
    group: () => [],
    segment: () => tagged('segment'),
    condition: (tag, term) => {
      expect(term).toEqual({ kind: 'operator', operator: 'IN', operand: ['1', '2'] });
      return tagged(tag);
    },
  });

describe('a structured filter', () => {
  it('compiles to the tree of an expression, negations included (R-O1)', () => {
    const tag = (name: string, application = '') =>
      ({ $case: 'tag', value: { name, application, operator: 'IN', operand: [1, 2] } }) as const;
    const group = { any: true, negated: true, conditions: [{ negated: false, condition: tag('ab') }] };
    const expression = compiled({
      any: false,
      negated: false,
      conditions: [
        { negated: true, condition: tag('a', 'X') },
        { negated: false, condition: { $case: 'segment', value: 'S' } },
        {
          negated: false,
          condition: { $case: 'application', value: { code: 'X', platforms: ['iOS'], withTokens: true } },
        },
        { negated: false, condition: { $case: 'group', value: group } },
      ],
    });
    const within = { ...tagged('a').node!.value, application: 'X' };
    expect(expression).toMatchObject({
      node: {
        $case: 'all',
        value: {
          of: [
            { node: { $case: 'not', value: { node: { $case: 'tag', value: within } } } },
            tagged('segment'),
            { node: { $case: 'application', value: { application: 'X', platforms: [1], withToken: true } } },
            { node: { $case: 'not', value: { node: { $case: 'any', value: { of: [tagged('ab')] } } } } },
          ],
        },
      },
    });
  });

  it('writes numbers as tags store them (R-RES8)', () => {
    const value = { name: 'a', application: '', operator: 'EQ', operand: [1e-7, 1e21] };
    const condition = { $case: 'tag' as const, value };
    const { syntax } = parsedFilter({ any: false, negated: false, conditions: [{ negated: false, condition }] });
    expect(JSON.stringify(syntax)).toContain('"0.0000001"');
    expect(JSON.stringify(syntax)).toContain('"1000000000000000000000"');
  });

  it('accepts booleans for Boolean tags only (R-RES8, R-RES13)', () => {
    const conditionOn = (type: TagType, operator: string, operand: unknown): Expression => {
      const definition = { number: 70, name: 'a', type, applicationSpecific: true };
      const condition = { $case: 'tag' as const, value: { name: 'a', application: '', operator, operand } };
      return compile(parsedFilter({ any: false, negated: false, conditions: [{ negated: false, condition }] }), {
        hasApplication: () => true,
        group: () => [],
        segment: () => undefined,
        condition: (_, term) => {
          if (term.kind !== 'operator') throw new Error(`unexpected ${term.kind}`);
          return tagCondition(definition, term.operator, term.operand, 0);
        },
      });
    };
    const meaning = (value: unknown) => ({
      node: { $case: 'all', value: { of: [{ node: { value: { operands: [{ value }] } } }] } },
    });
    expect(conditionOn(TagType.TAG_TYPE_BOOLEAN, 'EQ', true)).toMatchObject(meaning({ $case: 'flag', value: true }));
    expect(conditionOn(TagType.TAG_TYPE_STRING, 'EQ', 'true')).toMatchObject(meaning({ $case: 'text', value: 'true' }));
    expect(() => conditionOn(TagType.TAG_TYPE_STRING, 'EQ', true)).toThrow('wrong operand for String tag');
    expect(() => conditionOn(TagType.TAG_TYPE_LIST, 'IN', [false])).toThrow('wrong operand for List tag');
  });

  it('refuses operands that are not scalars', () => {
    const value = { name: 'a', application: '', operator: 'EQ', operand: { a: 1 } };
    const filter = {
      any: false,
      negated: false,
      conditions: [{ negated: false, condition: { $case: 'tag' as const, value } }],
    };
    expect(() => parsedFilter(filter)).toThrow('operands must be strings, numbers or booleans');
  });
});
