import { z } from 'zod';
import { inner, shapeFor } from '../presence.ts';
import { isObject } from '../values.ts';

/** The place of a field in a request. */
export type Path = readonly (string | number)[];

/** Fields that a request has room for; of an array, those of its first entry. */
export function fieldsIn(schema: unknown, value: unknown, path: Path = []): Path[] {
  const taken = inner(schema);
  if (taken instanceof z.ZodArray) {
    return Array.isArray(value) && value.length > 0 ? fieldsIn(taken.element, value[0], [...path, 0]) : [];
  }
  const shape = shapeFor(schema, value);
  if (!shape || !isObject(value)) return [];
  return Object.entries(shape).flatMap(([key, field]) => [
    [...path, key],
    ...fieldsIn(field, value[key], [...path, key]),
  ]);
}

/** A copy of the request with another value at the path, which shares all else with it. */
export function changed<T extends object>(request: T, [key, ...rest]: Path, value: unknown): T {
  const copy = (Array.isArray(request) ? [...(request as unknown[])] : { ...request }) as Record<
    string | number,
    unknown
  >;
  copy[key!] = rest.length === 0 ? value : changed(copy[key!] as object, rest, value);
  return copy as T;
}
