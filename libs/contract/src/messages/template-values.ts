import { z } from 'zod';
import { parseWithin } from '../forward.ts';
import { wellFormed } from '../lone-surrogates.ts';
import { atMost, isObject, text, TEXT_LIMIT } from '../values.ts';

export interface TemplateValue {
  readonly name: string;
  readonly text: string;
}

const MAX_VALUES = 100;
const MAX_NAME = 100;
const FORM = 'must be an object or a JSON string of one';

function objectOf(given: unknown): Record<string, unknown> | undefined {
  if (typeof given !== 'string') return given as Record<string, unknown>;
  try {
    const parsed = wellFormed<unknown>(JSON.parse(given));
    return isObject(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}

interface Names {
  readonly pattern?: RegExp;
  readonly refusal?: string;
  readonly max?: number;
}

const refusalOf = (names: readonly string[], { pattern = /^/, refusal = '', max = MAX_VALUES }: Names) => {
  if (names.length > max) return `at most ${max} ${max === 1 ? 'entry' : 'entries'}`;
  if (names.some((name) => !atMost(name, MAX_NAME))) return `names of at most ${MAX_NAME} characters`;
  return names.every((name) => pattern.test(name)) ? undefined : refusal;
};

/** Texts, numbers or booleans, in an object or its JSON text. Null is no value. */
export const templateValues = (names: Names = {}) =>
  z
    .custom<unknown>((value) => isObject(value) || (typeof value === 'string' && atMost(value, TEXT_LIMIT)), {
      error: FORM,
      abort: true,
    })
    .meta({
      anyOf: [
        { type: 'object', additionalProperties: { type: 'string' } },
        { type: 'string', contentMediaType: 'application/json', maxLength: TEXT_LIMIT },
      ],
    })
    .transform((value, context): TemplateValue[] => {
      const given = objectOf(value);
      const entries = Object.entries(given ?? {}).filter(([, each]) => each !== null);
      const refusal = given
        ? refusalOf(
            entries.map(([name]) => name),
            names,
          )
        : FORM;
      if (refusal !== undefined) {
        context.issues.push({ code: 'custom', message: refusal, input: value });
        return [];
      }
      const values: TemplateValue[] = [];
      for (const [name, each] of entries) {
        const parsed = parseWithin(text, typeof each === 'boolean' ? String(each) : each, context, [name]);
        if (parsed === undefined) break;
        values.push({ name, text: parsed });
      }
      return values;
    });
