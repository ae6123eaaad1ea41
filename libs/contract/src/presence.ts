import { z } from 'zod';
import { parseWithin } from './forward.ts';
import { isObject, optional } from './values.ts';

export const isGiven = (value: unknown): boolean => value !== undefined && value !== null;

type MissingRule = (siblings: Readonly<Record<string, unknown>>) => string | undefined;

/** A registry: copies by `describe` and `meta` inherit a schema's entry. */
const missingRules = z.registry<{ readonly need: MissingRule }>();

/** `need` names the missing argument, which may be another field (R-C1, R-C6). */
export function optionalUnless<Schema extends z.ZodType>(schema: Schema, need: MissingRule) {
  const field = optional(schema);
  missingRules.add(field, { need });
  return field;
}

/** Excludes other fields, or goes with them. */
export const alternative = <Schema extends z.ZodType>(schema: Schema) => optionalUnless(schema, () => undefined);

/** Required, but unmarked in the specification: if absent, `need` names its first marked field (R-ER2). */
export function unmarked<Schema extends z.ZodType>(schema: Schema, need: MissingRule): Schema {
  missingRules.add(schema, { need });
  return schema;
}

type Choose = (request: Readonly<Record<string, unknown>>) => z.ZodType;

export interface Choices<Schema extends z.ZodType = z.ZodType> {
  readonly by: string;
  readonly schemas: ReadonlyMap<string | number, Schema>;
}

const choices = new WeakMap<object, { readonly choose: Choose; readonly among: Choices }>();

/** @param among all variants, for the API's description */
export function choice<Schema extends z.ZodType>(
  choose: (request: Readonly<Record<string, unknown>>) => Schema,
  among: Choices<Schema>,
) {
  const schema = z.custom<Record<string, unknown>>(isObject, { error: 'must be an object', abort: true });
  choices.set(schema, { choose, among });
  return schema.transform((value, context) => parseWithin(choose(value), value, context, []) ?? z.NEVER);
}

type Missing = (value: unknown) => string | undefined;

const join = (key: string, rest: string): string => (rest.startsWith('[') ? `${key}${rest}` : `${key}.${rest}`);

interface Field {
  readonly key: string;
  readonly required: boolean;
  readonly need: MissingRule | undefined;
  readonly within: Missing | undefined;
}

export function inner(schema: unknown): unknown {
  if (schema instanceof z.ZodPipe) return inner(schema.in);
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) return inner(schema.unwrap());
  return schema;
}

export function isOptional(schema: unknown): boolean {
  if (schema instanceof z.ZodPipe) return isOptional(schema.in);
  if (schema instanceof z.ZodNullable) return isOptional(schema.unwrap());
  return schema instanceof z.ZodOptional;
}

export const isConditional = (schema: z.core.$ZodType): boolean => missingRules.get(schema) !== undefined;

const choiceIn = (taken: unknown) => (taken instanceof z.ZodType ? choices.get(taken) : undefined);

export const choicesOf = (schema: unknown): Choices | undefined => choiceIn(inner(schema))?.among;

export function shapeFor(schema: unknown, value: unknown): Readonly<Record<string, z.core.$ZodType>> | undefined {
  const taken = inner(schema);
  if (taken instanceof z.ZodObject) return taken.shape;
  const choose = choiceIn(taken)?.choose;
  return choose && isObject(value) ? shapeFor(choose(value), value) : undefined;
}

const fieldOf = (key: string, schema: z.core.$ZodType): Field => ({
  key,
  required: !isOptional(schema),
  need: missingRules.get(schema)?.need,
  within: missingIn(schema),
});

const missingField = (value: Readonly<Record<string, unknown>>, field: Field): string | undefined => {
  const { key, required, need, within } = field;
  const given = value[key];
  const missing = need?.(value);
  if (missing !== undefined) return missing;
  if (!isGiven(given)) return required ? key : undefined;
  const rest = within?.(given);
  return rest === undefined ? undefined : join(key, rest);
};

function missingInObject(shape: Readonly<Record<string, z.core.$ZodType>>): Missing | undefined {
  const fields = Object.entries(shape)
    .map(([key, schema]) => fieldOf(key, schema))
    .filter((field) => field.required || field.need || field.within);
  if (fields.length === 0) return undefined;
  return (value) => {
    if (!isObject(value)) return undefined;
    for (const field of fields) {
      const path = missingField(value, field);
      if (path !== undefined) return path;
    }
    return undefined;
  };
}

function missingInArray(element: z.core.$ZodType): Missing | undefined {
  const within = missingIn(element);
  if (!within) return undefined;
  return (value) => {
    if (!Array.isArray(value)) return undefined;
    for (const [index, entry] of value.entries()) {
      const rest = within(entry);
      if (rest !== undefined) return join(`[${index}]`, rest);
    }
    return undefined;
  };
}

function missingInRecord(value: z.core.$ZodType): Missing | undefined {
  const within = missingIn(value);
  if (!within) return undefined;
  return (record) => {
    if (!isObject(record)) return undefined;
    for (const [key, entry] of Object.entries(record)) {
      const rest = within(entry);
      if (rest !== undefined) return join(key, rest);
    }
    return undefined;
  };
}

function missingInChoice(choose: Choose): Missing {
  const prepared = new WeakMap<z.ZodType, Missing>();
  return (value) => {
    if (!isObject(value)) return undefined;
    const chosen = choose(value);
    const missing = prepared.get(chosen) ?? missingIn(chosen) ?? (() => undefined);
    prepared.set(chosen, missing);
    return missing(value);
  };
}

/** In the order of the fields; undefined where none can be missing. */
export function missingIn(schema: unknown): Missing | undefined {
  const taken = inner(schema);
  if (taken instanceof z.ZodObject) return missingInObject(taken.shape);
  if (taken instanceof z.ZodArray) return missingInArray(taken.element);
  if (taken instanceof z.ZodRecord) return missingInRecord(taken.valueType);
  const choose = choiceIn(taken)?.choose;
  return choose && missingInChoice(choose);
}
