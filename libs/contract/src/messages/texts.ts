import { z } from 'zod';
import { parseWithin } from '../forward.ts';
import { jsonText } from '../lone-surrogates.ts';
import { anyObject, atMost, isObject, text, TEXT_LIMIT } from '../values.ts';

/** In the caller's order; a plain text has the key `default`. */
export interface LocalizedText {
  readonly entries: { readonly language: string; readonly text: string }[];
}

export const plainLocalized = (given: string | undefined): LocalizedText | undefined =>
  given === undefined ? undefined : { entries: [{ language: 'default', text: given }] };

export const localizedSchema = {
  anyOf: [{ type: 'string' }, { type: 'object', additionalProperties: { type: 'string' } }],
};

/** Keys are compared in lower case (R-I15). */
export const localizedOf = (each: z.ZodType<string>) =>
  z
    .custom<unknown>((value) => typeof value === 'string' || typeof value === 'number' || isObject(value), {
      error: 'must be a string or an object',
      abort: true,
    })
    .meta(localizedSchema)
    .transform((value, context): LocalizedText => {
      if (!isObject(value)) return plainLocalized(parseWithin(each, value, context, []) ?? '')!;
      const entries: { language: string; text: string }[] = [];
      for (const [key, given] of Object.entries(value)) {
        if (given === null) continue;
        const parsed = parseWithin(each, given, context, [key]);
        if (parsed === undefined) break;
        entries.push({ language: key.toLowerCase(), text: parsed });
      }
      if (entries.length === 0 && context.issues.length === 0)
        context.issues.push({ code: 'custom', message: 'must not be empty', input: value });
      return { entries };
    });

export const BY_LANGUAGE = 'A text, or texts by language; `default` serves every other language.';

export const localized = localizedOf(text);

const isJson = (value: string): boolean => {
  try {
    JSON.parse(value);
    return true;
  } catch {
    return false;
  }
};

/** JSON text has the same limit as other texts (R-LM4). */
const bounded = (json: string, context: z.core.ParsePayload): string => {
  if (!atMost(json, TEXT_LIMIT)) {
    context.issues.push({ code: 'custom', message: `at most ${TEXT_LIMIT} characters`, input: json });
  }
  return json;
};

const boundedWords = { constraint: `At most ${TEXT_LIMIT} characters as JSON.` };

/** An object or array, or JSON text that is kept byte for byte (R-I18). */
export const jsonData = z
  .custom<unknown>((value) => (typeof value === 'string' ? isJson(value) : typeof value === 'object'), {
    error: 'must be an object or a JSON string',
    abort: true,
  })
  .meta({
    ...boundedWords,
    anyOf: [
      { type: 'object' },
      { type: 'array', items: { title: 'Any JSON value' } },
      { type: 'string', contentMediaType: 'application/json', maxLength: TEXT_LIMIT },
    ],
  })
  .transform((value, context) => bounded(typeof value === 'string' ? value : jsonText(value), context))
  .describe('Custom data for the app: an object, an array, or JSON text. The payload carries it in `u` as JSON text.');

export const jsonObject = anyObject.meta(boundedWords).transform((value, context) => bounded(jsonText(value), context));

/** `data` has at most 4,096 bytes as compact JSON (R-I22). */
export const rootParamsWithData = anyObject
  .meta(boundedWords)
  .refine(({ data }) => data === undefined || Buffer.byteLength(jsonText(data)) <= 4096, {
    error: 'at most 4096 bytes',
    path: ['data'],
  })
  .transform((value, context) => bounded(jsonText(value), context));

/** @param max bytes as compact JSON (R-I22) */
export const rootParamsWithin = (max: number) =>
  anyObject
    .meta({ constraint: `At most ${max} bytes as JSON.` })
    .transform((value) => jsonText(value))
    .refine((json) => Buffer.byteLength(json) <= max, `at most ${max} bytes`);
