import { z } from 'zod';
import { tagTexts } from './long-integer.ts';

/** Options of a check whose text is the whole reply, without the path before it. */
export const whole = (text: string) => ({ error: text, params: { whole: true } });

/** Characters of a text without a limit of its own (R-LM4). */
export const TEXT_LIMIT = 65_536;

/** Whether a text has at most `max` code points (R-LM4). */
export const atMost = (text: string, max: number): boolean => {
  if (text.length <= max) return true;
  if (text.length > 2 * max) return false;
  let count = 0;
  for (const _ of text) count++;
  return count <= max;
};

/** A string or a number (R-ER7) of at most 65,536 characters (R-LM4). The first branch is a hint to the compiler: most texts are short. */
export const text = z.union(
  [z.string().max(TEXT_LIMIT), z.string().refine((value) => atMost(value, TEXT_LIMIT)), z.number().transform(String)],
  {
    error: ({ input }) => (typeof input === 'string' ? `at most ${TEXT_LIMIT} characters` : 'must be a string'),
  },
);

/** A string or a number (R-ER7) of any length: for what has a limit of its own. */
export const anyText = z.union([z.string(), z.number().transform(String)], { error: 'must be a string' });

/** {@link text} of `min` to `max` characters. */
export const textOf = (min: number, max: number) =>
  text
    .refine((value) => value.length >= min && atMost(value, max), `must be ${min} to ${max} characters`)
    .meta({ minLength: min, maxLength: max });

/** {@link text} that is not empty. */
export const nonEmptyText = textOf(1, TEXT_LIMIT);

/** A whole number as decimal text: `5`, `+5`, `5.0`. */
export const WHOLE_TEXT = /^[+-]?\d+(\.0+)?$/;

/** The reason stands at every step: a union hands on the words of the branch that got furthest. */
const wholeNumber = { error: 'must be an integer' };

const decimal = z.string(wholeNumber).regex(WHOLE_TEXT, wholeNumber).transform(Number).pipe(z.int(wholeNumber));

/** A whole number that JSON keeps exactly, or one as decimal text, with or without a sign and a fraction of zeros (R-ER7). */
export const integer = z.union([z.int(wholeNumber), decimal], wholeNumber);

/** {@link integer} within bounds, both included. */
export const integerOf = (min: number, max: number) =>
  integer
    .refine((value) => value >= min && value <= max, `must be ${min} to ${max}`)
    .meta({ minimum: min, maximum: max });

const anyNumber = { error: 'must be a number' };

const numeric = z
  .string(anyNumber)
  .regex(/^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/, anyNumber)
  .transform(Number)
  .pipe(z.number(anyNumber));

/** A finite number, or one as text (R-ER7). */
export const number = z.union([z.number(anyNumber), numeric], anyNumber);

const truth = (error: string) =>
  z.union(
    [
      z.boolean(),
      z.literal([1, '1', 'true']).transform(() => true),
      z.literal([0, '0', 'false']).transform(() => false),
    ],
    { error },
  );

/** true, false, 1, 0, or one of these as text (R-RES8). */
export const boolean = truth('must be a boolean');

/** The specification's 0/1 fields. */
export const bit = truth('must be 0 or 1');

/** One of the listed words, case-sensitive (R-A1). */
export const oneOf = <const Words extends readonly string[]>(words: Words) =>
  z.enum(words, { error: `must be one of ${words.join(', ')}` });

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** An object whose members are someone else's business. */
export const anyObject = z.custom<Record<string, unknown>>(isObject, 'must be an object').meta({ type: 'object' });

/** Values of tags by name, as services take them. What a value must be, its tag decides (R-C4). */
export const tagValues = anyObject.transform(tagTexts);

/** A value that is looked at later, if at all. @param schema what it should be, as JSON Schema, for the API's description alone */
export const unchecked = (schema: Readonly<Record<string, unknown>>) => z.unknown().meta(schema);

export const object = <Shape extends z.core.$ZodShape>(shape: Shape) => z.object(shape, { error: 'must be an object' });

export const array = <Element extends z.ZodType>(element: Element) => z.array(element, { error: 'must be an array' });

/** A list of 1 to `max` entries (R-I3). */
export const listOf = <Element extends z.ZodType>(element: Element, max: number) =>
  array(element).min(1, 'must not be empty').max(max, `at most ${max} entries`);

/** A field that need not be given; null means not given (R-ER7). */
export const optional = <Schema extends z.ZodType>(schema: Schema) =>
  schema.nullish().transform((value) => value ?? undefined);

/** A field of the specification that is refused, rather than ignored, as long as nothing stands behind it. */
export const notServedYet = z
  .null({ error: 'not served yet' })
  .transform(() => undefined)
  .optional()
  .meta({ description: 'Not served yet: anything but null is refused.' });

/** What a method without a payload answers. */
export const nothing = z.void();
