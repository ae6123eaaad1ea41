import { z } from 'zod';
import { parseWithin } from '../forward.ts';
import { anyObject, isObject, text } from '../values.ts';

/** A text by language, in the caller's order; a plain text stands under `default`. */
export interface LocalizedText {
  readonly entries: { readonly language: string; readonly text: string }[];
}

/** A text, or texts keyed by language; keys are compared in lower case (R-I15). */
export const localized = z
  .custom<unknown>((value) => typeof value === 'string' || typeof value === 'number' || isObject(value), {
    error: 'must be a string or an object',
    abort: true,
  })
  .transform((value, context): LocalizedText => {
    if (!isObject(value))
      return { entries: [{ language: 'default', text: parseWithin(text, value, context, []) ?? '' }] };
    const entries = Object.entries(value)
      .filter(([, given]) => given !== null)
      .map(([key, given]) => ({ language: key.toLowerCase(), text: parseWithin(text, given, context, [key]) ?? '' }));
    if (entries.length === 0) context.issues.push({ code: 'custom', message: 'must not be empty', input: value });
    return { entries };
  });

const isJson = (value: string): boolean => {
  try {
    JSON.parse(value);
    return true;
  } catch {
    return false;
  }
};

/** Custom data as JSON text: an object or array, or JSON text that is passed byte for byte (R-I18). */
export const jsonData = z
  .custom<unknown>((value) => (typeof value === 'string' ? isJson(value) : typeof value === 'object'), {
    error: 'must be an object or a JSON string',
    abort: true,
  })
  .transform((value) => (typeof value === 'string' ? value : JSON.stringify(value)));

/** An object as JSON text. */
export const jsonObject = anyObject.transform((value) => JSON.stringify(value));

/** An object as JSON text whose member `data` is at most 4,096 bytes as compact JSON (R-I22). */
export const rootParamsWithData = anyObject
  .refine(({ data }) => data === undefined || Buffer.byteLength(JSON.stringify(data)) <= 4096, {
    error: 'at most 4096 bytes',
    path: ['data'],
  })
  .transform((value) => JSON.stringify(value));
