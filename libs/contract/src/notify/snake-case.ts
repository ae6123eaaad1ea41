import { z } from 'zod';
import { inner, shapeFor } from '../presence.ts';
import { isObject } from '../values.ts';

const camelCase = (name: string): string =>
  name.replaceAll(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());

type Members = Readonly<Record<string, unknown>>;

function membersOf(shape: Readonly<Record<string, unknown>>, value: Members): Members {
  const members: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(shape)) {
    const given = value[name] ?? value[camelCase(name)];
    if (given !== undefined) members[name] = converted(field, given);
  }
  return members;
}

function converted(schema: unknown, value: unknown): unknown {
  const taken = inner(schema);
  if (taken instanceof z.ZodArray)
    return Array.isArray(value) ? value.map((each) => converted(taken.element, each)) : value;
  if (!isObject(value)) return value;
  if (taken instanceof z.ZodRecord) {
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, converted(taken.valueType, each)]));
  }
  const shape = shapeFor(schema, value);
  return shape ? membersOf(shape, value) : value;
}

/** Keys and values of callers stay as they are (R-O1). */
export const snakeCased = (schema: z.ZodType, request: Members): Members => converted(schema, request) as Members;
