import { z } from 'zod';
import { tagTexts } from './long-integer.ts';

/** Options of a check whose text is the whole reply, without the path as prefix. */
export const whole = (text: string) => ({ error: text, params: { whole: true } });

/** Maximum number of characters of a text without its own limit (R-LM4). */
export const TEXT_LIMIT = 65_536;

/** Whether a text has at most `max` code points (R-LM4). */
export const atMost = (text: string, max: number): boolean => {
  if (text.length <= max) return true;
  if (text.length > 2 * max) return false;
  let count = 0;
  for (const _ of text) count++;
  return count <= max;
};

/** A string or a number (R-ER7) of at most `max` characters. The first branch is an optimisation: most texts are short. */
export const textUpTo = (max: number) =>
  z.union([z.string().max(max), z.string().refine((value) => atMost(value, max)), z.number().transform(String)], {
    error: ({ input }) => (typeof input === 'string' ? `at most ${max} characters` : 'must be a string'),
  });

/** {@link textUpTo} 65,536 characters (R-LM4). */
export const text = textUpTo(TEXT_LIMIT);

/** A string or a number (R-ER7) of any length, for fields with their own limit. */
export const anyText = z.union([z.string(), z.number().transform(String)], { error: 'must be a string' });

/** {@link text} of `min` to `max` characters. */
export const textOf = (min: number, max: number) =>
  text
    .refine((value) => value.length >= min && atMost(value, max), `must be ${min} to ${max} characters`)
    .meta({ minLength: min, maxLength: max });

/** {@link text} that is not empty. */
export const nonEmptyText = textOf(1, TEXT_LIMIT);

const ILL_FORMED = 'must not contain lone surrogates';

const isWellFormed = (value: string): boolean => value.isWellFormed();

/**
 * {@link text} that names or identifies something. All stores replace lone surrogates, which would make two names one: an identity with one is refused,
 * and any other text gets U+FFFD in its place (R-RES2).
 */
export const identity = text.refine(isWellFormed, ILL_FORMED);

/** {@link identity} of `min` to `max` characters. */
export const identityOf = (min: number, max: number) => textOf(min, max).refine(isWellFormed, ILL_FORMED);

/** {@link identity} that is not empty. */
export const nonEmptyIdentity = identityOf(1, TEXT_LIMIT);

/** {@link identity} of any length, for fields with their own limit. */
export const anyIdentity = anyText.refine(isWellFormed, ILL_FORMED);

/** A whole number as decimal text: `5`, `+5`, `5.0`. */
export const WHOLE_TEXT = /^[+-]?\d+(\.0+)?$/;

/** Every step has the reason: a union reports the text of the branch that got furthest. */
const wholeNumber = { error: 'must be an integer' };

const decimal = z.string(wholeNumber).regex(WHOLE_TEXT, wholeNumber).transform(Number).pipe(z.int(wholeNumber));

/** A whole number that JSON represents exactly, or one as decimal text, with or without a sign and a fraction of zeros (R-ER7). */
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

/** An object whose members are not checked. */
export const anyObject = z.custom<Record<string, unknown>>(isObject, 'must be an object').meta({ type: 'object' });

export function refuseIllFormedNames(
  tags: Readonly<Record<string, unknown>>,
  { addIssue }: { readonly addIssue: (issue: { code: 'custom'; message: string; path: string[] }) => void },
): void {
  for (const name in tags)
    if (!name.isWellFormed()) addIssue({ code: 'custom', message: ILL_FORMED, path: [name.toWellFormed()] });
}

export const TAG_VALUES =
  'Values by tag name. The type of the tag determines the valid values; null removes the value. An object ' +
  '`{"operation": "increment" | "append" | "remove", "value": …}` changes the value instead. Integers are exact, ' +
  'from -2^63 to 2^63 - 1; send those beyond 2^53 as text if your JSON library rounds them.';

/** Tag values by name, as services accept them. The type of a tag determines its valid values (R-C4). */
export const tagValues = anyObject.superRefine(refuseIllFormedNames).transform(tagTexts).describe(TAG_VALUES);

/** A value that is not checked here. @param schema the expected JSON Schema, for the API's description only */
export const unchecked = (schema: Readonly<Record<string, unknown>>) => z.unknown().meta(schema);

export const object = <Shape extends z.core.$ZodShape>(shape: Shape) => z.object(shape, { error: 'must be an object' });

export const array = <Element extends z.ZodType>(element: Element) => z.array(element, { error: 'must be an array' });

/** A list of 1 to `max` entries (R-I3). */
export const listOf = <Element extends z.ZodType>(element: Element, max: number) =>
  array(element).min(1, 'must not be empty').max(max, `at most ${max} entries`);

/** An optional field; null means not given (R-ER7). */
export const optional = <Schema extends z.ZodType>(schema: Schema) =>
  schema.nullish().transform((value) => value ?? undefined);

/** Without tags whose names no tag has. */
function wellNamed(tags: Record<string, unknown>): Record<string, unknown> {
  for (const name in tags)
    if (!name.isWellFormed()) return Object.fromEntries(Object.entries(tags).filter(([each]) => each.isWellFormed()));
  return tags;
}

/** {@link tagValues} without those whose names no tag has, where a tag problem must not refuse the rest (R-C3, R-G5). */
export const wellNamedTagValues = anyObject.transform((tags) => tagTexts(wellNamed(tags))).describe(TAG_VALUES);

/**
 * The optional tags of a registration. A value that is no object is ignored, such as the list that PHP makes of an empty map: a tag problem must not
 * cost a registration (R-C3).
 */
export const registrationTags = (
  convert: (tags: Record<string, unknown>, context: z.core.ParsePayload) => Record<string, unknown> = tagTexts,
) =>
  optional(unchecked({ type: 'object' }))
    .transform((given, context) => (isObject(given) ? convert(wellNamed(given), context) : undefined))
    .describe(TAG_VALUES);

/** The refusal of a part that is left out and that the API does not mark as required: its absence is a wrong value (R-ER2). */
export const mustBeSet = (part: string) => ({ path: [part], error: 'must be set' });

/** A field that must not be given together with another one. */
export const refusedBeside = (field: string) =>
  z
    .null({ error: `must not be used with ${field}` })
    .transform(() => undefined)
    .optional()
    .meta({ constraint: `Refused: \`${field}\` says who receives the message.` });

/** The output of a method without a payload. */
export const nothing = z.void();
