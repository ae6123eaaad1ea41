import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { api } from './api.ts';
import type { Method } from './method.ts';
import { choicesOf } from './presence.ts';

/** `[]` stands for the entries of a list, `*` for any key. */
type Fields = ReadonlyMap<string, Fields>;

function fieldsIn(text: string): Fields {
  const tokens = text.match(/[^,{}\s]+|[{}]/g) ?? [];
  let at = 0;
  const read = (): Fields => {
    const fields = new Map<string, Fields>();
    let last = '';
    for (; at < tokens.length; at++) {
      const token = tokens[at]!;
      if (token === '}') break;
      if (token === '{') {
        at++;
        fields.set(last, read());
      } else fields.set((last = token), new Map());
    }
    return fields;
  };
  return read();
}

interface Row {
  readonly path: string;
  readonly request: Fields;
  readonly reply: Fields;
}

const page = readFileSync(new URL('../../../docs/interface.md', import.meta.url), 'utf8');

const cellsIn = (heading: string): string[][] =>
  page
    .split(`## ${heading}\n`)[1]!
    .split(/^## /m)[0]!
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );

const unquoted = (cell: string): string => cell.replaceAll('`', '');

const rows = cellsIn('Methods').map((cells): Row => {
  const [path = '', request = '', reply = ''] = cells.map(unquoted);
  return { path, request: fieldsIn(request), reply: fieldsIn(reply) };
});

type Schema = Readonly<Record<string, unknown>>;
const isSchema = (value: unknown): value is Schema => typeof value === 'object' && value !== null;

function alternatives(schema: unknown, root: Schema): Schema[] {
  if (!isSchema(schema)) return [];
  const { $ref: reference } = schema;
  if (typeof reference === 'string') {
    return alternatives((root['$defs'] as Schema | undefined)?.[reference.split('/').at(-1)!], root);
  }
  const choices = ['anyOf', 'oneOf', 'allOf'].flatMap((key) => (schema[key] as unknown[] | undefined) ?? []);
  return [schema, ...choices.flatMap((choice) => alternatives(choice, root))];
}

function schemasOf(name: string, schema: Schema, root: Schema): Schema[] {
  if (name.endsWith('[]')) {
    return schemasOf(name.slice(0, -2), schema, root).flatMap((list) =>
      alternatives(list, root).flatMap(({ items }) => (isSchema(items) ? [items] : [])),
    );
  }
  return alternatives(schema, root).flatMap(({ properties, additionalProperties }) => {
    const known = isSchema(properties) ? properties : {};
    if (name === '*') return [...Object.values(known), additionalProperties].filter(isSchema);
    return [known[name] ?? additionalProperties].filter(isSchema);
  });
}

function unknownIn(fields: Fields, schemas: readonly Schema[], root: Schema, path = ''): string[] {
  return [...fields].flatMap(([name, inner]) => {
    const found = schemas.flatMap((schema) => schemasOf(name, schema, root));
    if (found.length === 0) return [`${path}${name}`];
    return unknownIn(inner, found, root, `${path}${name}.`);
  });
}

const schemaOf = (type: z.ZodType, io: 'input' | 'output'): Schema =>
  z.toJSONSchema(type, { io, unrepresentable: 'any' });

const inputsOf = ({ input }: Method): Schema[] =>
  [...(choicesOf(input)?.schemas.values() ?? [input])].map((schema) => schemaOf(schema, 'input'));

const methods = Object.values<Method>(api);
const methodAt = (path: string): Method => {
  const found = methods.find((method) => method.path === path);
  if (!found) throw new Error(`no method ${path}`);
  return found;
};

describe('the interface in docs/interface.md', () => {
  it('has all groups of methods', () => expect(rows.length).toBeGreaterThan(60));

  it.each(rows.map((row) => [row.path, row] as const))(
    'contains %s only with fields of the contract',
    (path, { request, reply }) => {
      const method = methodAt(path);
      const [inputs, output] = [inputsOf(method), schemaOf(method.output, 'output')];
      const fields = new Map([...request].filter(([name]) => name !== 'auth'));
      const unknown = inputs.map((input) => unknownIn(fields, [input], input));
      expect(unknown[0]!.filter((field) => unknown.every((others) => others.includes(field)))).toEqual([]);
      if (request.has('auth')) expect(['api', 'optional']).toContain(method.scope);
      expect(unknownIn(reply, [output], output)).toEqual([]);
    },
  );

  it('is served as a whole', () => {
    const folder = fileURLToPath(new URL('.', import.meta.url));
    const files = globSync('**/*.ts', { cwd: folder, exclude: ['generated/**', '**/*.spec.ts'] });
    expect(files.filter((file) => readFileSync(folder + file, 'utf8').includes('not served yet'))).toEqual([]);
  });
});
