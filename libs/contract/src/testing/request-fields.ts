import { z } from 'zod';
import { inner, shapeFor } from '../presence.ts';
import { isObject } from '../values.ts';

export type Path = readonly (string | number)[];

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

export function changed<T extends object>(request: T, [key, ...rest]: Path, value: unknown): T {
  const copy = (Array.isArray(request) ? [...(request as unknown[])] : { ...request }) as Record<
    string | number,
    unknown
  >;
  copy[key!] = rest.length === 0 ? value : changed(copy[key!] as object, rest, value);
  return copy as T;
}
