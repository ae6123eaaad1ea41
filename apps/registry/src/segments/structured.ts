import { Refusal } from '@tidings/kernel';
import { plainText } from '@tidings/audience';
import type { FilterCondition, FilterGroup } from '@tidings/rpc';
import type { Argument, Call, Parsed, Syntax } from '@tidings/segments';

const textOf = (text: string): Argument => ({ kind: 'text', text, at: 0 });

function scalarOf(value: unknown): Argument {
  // Compared as tags store them.
  if (typeof value === 'number') return textOf(plainText(value) ?? String(value));
  if (typeof value === 'string') return textOf(value);
  // Tags that store texts refuse booleans (R-RES8).
  if (typeof value === 'boolean') return { kind: 'flag', value, at: 0 };
  throw new Refusal('operands must be strings, numbers or booleans');
}

const operandOf = (value: unknown): Argument =>
  Array.isArray(value) ? { kind: 'list', of: value.map(scalarOf), at: 0 } : scalarOf(value);

const listOf = (texts: readonly string[]): Argument => ({ kind: 'list', of: texts.map(textOf), at: 0 });

const call = (name: Call['name'], given: readonly Argument[]): Call => ({
  kind: 'call',
  name,
  arguments: given,
  at: 0,
  end: 0,
});

function conditionOf({ condition }: FilterCondition): Syntax {
  switch (condition?.$case) {
    case 'tag': {
      const { application, name, operator } = condition.value;
      const of = [textOf(name), textOf(operator), operandOf(condition.value.operand as unknown)];
      return application === '' ? call('T', of) : call('AT', [textOf(application), ...of]);
    }
    case 'application': {
      const { code, platforms, withTokens } = condition.value;
      return call('A', [textOf(code), listOf(platforms), listOf(withTokens ? ['with_tokens'] : [])]);
    }
    case 'segment':
      return call('Segment', [textOf(condition.value)]);
    case 'group':
      return groupOf(condition.value);
    case undefined:
      throw new Refusal('unknown condition');
  }
}

const negatedIf = (negated: boolean, of: Syntax): Syntax => (negated ? { kind: 'not', of } : of);

const groupOf = ({ any, negated, conditions }: FilterGroup): Syntax =>
  negatedIf(negated, {
    kind: any ? 'any' : 'all',
    of: conditions.map((condition) => negatedIf(condition.negated, conditionOf(condition))),
  });

export function parsedFilter(filter: FilterGroup | undefined): Parsed {
  if (!filter) throw new Refusal('unknown condition');
  return { source: '', syntax: groupOf(filter) };
}
