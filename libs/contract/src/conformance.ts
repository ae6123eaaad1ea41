import { Fault } from '@tidings/kernel';
import { z } from 'zod';
import { bulkDetailNames } from './audience/bulkRegisterDevice.ts';
import { dotted } from './issue.ts';
import type { Method, Request } from './method.ts';
import { inner, isConditional, isOptional, shapeFor } from './presence.ts';
import { isObject } from './values.ts';

export interface ConformanceCase {
  readonly title: string;
  readonly request: Request;
  /** `accepted`, or the kind of the fault with its text or field name. */
  readonly expected:
    | 'accepted'
    | { readonly kind: 'malformed' | 'argument'; readonly text?: string; readonly field?: string };
}

type Path = readonly (string | number)[];

interface FoundField {
  readonly path: Path;
  readonly required: boolean;
  readonly conditional: boolean;
}

function fieldsIn(schema: unknown, value: unknown, path: Path): FoundField[] {
  const schemaIn = inner(schema);
  if (schemaIn instanceof z.ZodArray) {
    return Array.isArray(value) && value.length > 0 ? fieldsIn(schemaIn.element, value[0], [...path, 0]) : [];
  }
  const shape = shapeFor(schema, value);
  if (!shape || !isObject(value)) return [];
  return Object.entries(shape).flatMap(([key, field]) => [
    { path: [...path, key], required: !isOptional(field), conditional: isConditional(field) },
    ...fieldsIn(field, value[key], [...path, key]),
  ]);
}

function changed(request: Request, path: Path, value: unknown): Request {
  const copy = structuredClone(request) as Record<string, unknown>;
  let parent: unknown = copy;
  for (const key of path.slice(0, -1)) parent = (parent as Record<string | number, unknown>)[key];
  const last = path.at(-1)!;
  if (value === undefined) delete (parent as Record<string | number, unknown>)[last];
  else (parent as Record<string | number, unknown>)[last] = value;
  return copy;
}

const refusalOf = (method: Method, request: Request): string | undefined => {
  try {
    method.parse(request);
    return undefined;
  } catch (thrown) {
    return thrown instanceof Fault ? thrown.message : undefined;
  }
};

/** Every field refuses at least one of these values. */
const wrongValues: readonly unknown[] = [[], {}, true];

/** Refused for its type, not for a missing related field. */
function wrongTyped(method: Method, request: Request, path: Path): Request {
  const candidates = wrongValues.map((value) => changed(request, path, value));
  const refused = candidates.map((candidate) => refusalOf(method, candidate));
  const wrong = refused.findIndex((text) => text !== undefined && !text.endsWith(': must be set'));
  return candidates[wrong] ?? candidates[0]!;
}

/** A tag problem must not cost a registration (R-C3). */
const LENIENT: ReadonlySet<string> = new Set(
  ['registerDevice', 'multiRegisterDevice', 'registerSmsNumber', 'registerWhatsappNumber', 'registerEmail'].map(
    (name) => `${name} tags`,
  ),
);

/** An invalid value fails its entry alone (R-G5). */
const isOfEntry = ({ name }: Method, path: Path): boolean =>
  name === 'audience/bulkRegisterDevice' && bulkDetailNames.some((detail) => detail === path.at(-1));

function casesOfField(method: Method, request: Request, field: FoundField): ConformanceCase[] {
  const path = dotted(field.path);
  const cases: ConformanceCase[] = [
    {
      title: `${path} of a wrong type`,
      request: wrongTyped(method, request, field.path),
      expected:
        LENIENT.has(`${method.name} ${path}`) || isOfEntry(method, field.path)
          ? 'accepted'
          : { kind: 'argument', field: String(field.path.at(-1)) },
    },
  ];
  if (field.conditional) return cases;
  for (const [absence, value] of [
    ['absent', undefined],
    ['null', null],
  ] as const) {
    const without = changed(request, field.path, value);
    if (!field.required && value === null)
      cases.push({ title: `${path} null`, request: without, expected: 'accepted' });
    if (!field.required) continue;
    const expected =
      method.family === 'json13'
        ? ({ kind: 'malformed', text: `Missing required argument: ${path}` } as const)
        : ({ kind: 'argument', text: `${path} is required` } as const);
    cases.push({ title: `${path} ${absence}`, request: without, expected });
  }
  return cases;
}

/** Cases derived from the schema and the first example (R-ER2, R-ER7). */
export function conformanceCases(method: Method): ConformanceCase[] {
  const [first] = method.examples;
  const accepted = method.examples.map(({ request }, index) => ({
    title: `example ${index}`,
    request,
    expected: 'accepted' as const,
  }));
  if (!first) return accepted;
  const derived = fieldsIn(method.input, first.request, []).flatMap((field) =>
    casesOfField(method, first.request, field),
  );
  return [...accepted, ...derived];
}
