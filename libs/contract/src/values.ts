import { z } from 'zod';
import { tagTexts } from './long-integer.ts';

/** The text is the whole reply, without the path. */
export const whole = (text: string) => ({ error: text, params: { whole: true } });

export const TEXT_LIMIT = 65_536;

/** In code points (R-LM4). */
export const atMost = (text: string, max: number): boolean => {
  if (text.length <= max) return true;
  if (text.length > 2 * max) return false;
  let count = 0;
  for (const _ of text) count++;
  return count <= max;
};

/** Also a number (R-ER7). Most texts are short. */
export const textUpTo = (max: number) =>
  z.union([z.string().max(max), z.string().refine((value) => atMost(value, max)), z.number().transform(String)], {
    error: ({ input }) => (typeof input === 'string' ? `at most ${max} characters` : 'must be a string'),
  });

export const text = textUpTo(TEXT_LIMIT);

export const anyText = z.union([z.string(), z.number().transform(String)], { error: 'must be a string' });

export const textOf = (min: number, max: number) =>
  text
    .refine((value) => value.length >= min && atMost(value, max), `must be ${min} to ${max} characters`)
    .meta({ minLength: min, maxLength: max });

export const nonEmptyText = textOf(1, TEXT_LIMIT);

const ILL_FORMED = 'must not contain lone surrogates';

const isWellFormed = (value: string): boolean => value.isWellFormed();

/** Refuses lone surrogates: stores replace them, which would make two names one (R-RES2). */
export const identity = text.refine(isWellFormed, ILL_FORMED);

export const identityOf = (min: number, max: number) => textOf(min, max).refine(isWellFormed, ILL_FORMED);

export const nonEmptyIdentity = identityOf(1, TEXT_LIMIT);

export const anyIdentity = anyText.refine(isWellFormed, ILL_FORMED);

export const WHOLE_TEXT = /^[+-]?\d+(\.0+)?$/;

/** A union reports the text of the branch that got furthest. */
const wholeNumber = { error: 'must be an integer' };

const decimal = z.string(wholeNumber).regex(WHOLE_TEXT, wholeNumber).transform(Number).pipe(z.int(wholeNumber));

/** Exact in JSON, or as decimal text (R-ER7). */
export const integer = z.union([z.int(wholeNumber), decimal], wholeNumber);

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

/** Also 1, 0, or one of these as text (R-RES8). */
export const boolean = truth('must be a boolean');

export const bit = truth('must be 0 or 1');

/** Case-sensitive (R-A1). */
export const oneOf = <const Words extends readonly string[]>(words: Words) =>
  z.enum(words, { error: `must be one of ${words.join(', ')}` });

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

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

/** The type of a tag determines its valid values (R-C4). */
export const tagValues = anyObject.superRefine(refuseIllFormedNames).transform(tagTexts).describe(TAG_VALUES);

/** @param schema for the API's description only */
export const unchecked = (schema: Readonly<Record<string, unknown>>) => z.unknown().meta(schema);

export const object = <Shape extends z.core.$ZodShape>(shape: Shape) => z.object(shape, { error: 'must be an object' });

export const array = <Element extends z.ZodType>(element: Element) => z.array(element, { error: 'must be an array' });

export const listOf = <Element extends z.ZodType>(element: Element, max: number) =>
  array(element).min(1, 'must not be empty').max(max, `at most ${max} entries`);

/** null means not given (R-ER7). */
export const optional = <Schema extends z.ZodType>(schema: Schema) =>
  schema.nullish().transform((value) => value ?? undefined);

function wellNamed(tags: Record<string, unknown>): Record<string, unknown> {
  for (const name in tags)
    if (!name.isWellFormed()) return Object.fromEntries(Object.entries(tags).filter(([each]) => each.isWellFormed()));
  return tags;
}

/** Omits names that no tag has: a tag problem must not refuse the rest (R-C3, R-G5). */
export const wellNamedTagValues = anyObject.transform((tags) => tagTexts(wellNamed(tags))).describe(TAG_VALUES);

/** Ignores a value that is no object, such as PHP's empty list (R-C3). */
export const registrationTags = (
  convert: (tags: Record<string, unknown>, context: z.core.ParsePayload) => Record<string, unknown> = tagTexts,
) =>
  optional(unchecked({ type: 'object' }))
    .transform((given, context) => (isObject(given) ? convert(wellNamed(given), context) : undefined))
    .describe(TAG_VALUES);

/** For a part not marked as required: its absence is a wrong value (R-ER2). */
export const mustBeSet = (part: string) => ({ path: [part], error: 'must be set' });

export const refusedBeside = (field: string) =>
  z
    .null({ error: `must not be used with ${field}` })
    .transform(() => undefined)
    .optional()
    .meta({ constraint: `Refused: \`${field}\` says who receives the message.` });

export const nothing = z.void();
