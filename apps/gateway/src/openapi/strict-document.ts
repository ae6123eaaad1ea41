import type { OpenApi } from './openapi-document.ts';
import type { Schema } from './simplify.ts';

const isObject = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const keywordsOf: Readonly<Record<string, readonly string[]>> = {
  string: ['minLength', 'maxLength', 'pattern', 'format', 'enum'],
  integer: ['minimum', 'maximum', 'enum'],
  number: ['minimum', 'maximum', 'enum'],
  boolean: [],
  array: ['items', 'minItems', 'maxItems'],
  object: ['properties', 'required', 'additionalProperties'],
};

const isScalar = (type: string): boolean => type !== 'object' && type !== 'array';

const NULLABLE = { nullable: true };

/** One type's part of a schema; an enumeration keeps the type's own values. */
function ofType(schema: Schema, type: string): Schema {
  const kept = Object.entries(schema).filter(([keyword]) => keywordsOf[type]!.includes(keyword));
  const members = kept.flatMap(([keyword, value]): [string, unknown][] => {
    if (keyword !== 'enum') return [[keyword, strict(keyword, value)]];
    const values = (value as unknown[]).filter((each) => typeof each === (type === 'string' ? 'string' : 'number'));
    return values.length > 0 ? [[keyword, values]] : [];
  });
  return { type, ...(type === 'array' && { items: {} }), ...Object.fromEntries(members) };
}

function strict(keyword: string, value: unknown): unknown {
  if (keyword === 'properties') {
    const fields = Object.entries(value as Schema).filter(([, field]) => (field as Schema)['type'] !== 'null');
    return Object.fromEntries(fields.map(([name, field]) => [name, strictSchema(field as Schema)]));
  }
  return isObject(value) ? strictSchema(value) : value;
}

/** Texts come first in lists of types where a number is taken for a text, and numbers where a text is for a number. */
function narrowed(schema: Schema, types: readonly string[]): Schema {
  const [first, ...others] = types;
  if (first === undefined || (types.includes('boolean') && types.includes('array'))) return {};
  const compound = types.find((type) => !isScalar(type));
  if (compound === undefined || others.length === 0) return ofType(schema, first);
  const scalar = types.find(isScalar);
  const shown = [scalar, ...types.filter((type) => !isScalar(type))].filter((type) => type !== undefined);
  return { oneOf: shown.map((type) => ofType(schema, type)) };
}

function strictSchema(schema: Schema): Schema {
  const { $ref, description, type, const: constant } = schema;
  if ($ref !== undefined) return { $ref };
  const branches = (schema['anyOf'] ?? schema['oneOf']) as readonly Schema[] | undefined;
  const types = [type ?? []].flat() as string[];
  const described = description === undefined ? {} : { description };
  const nullable = types.includes('null') || branches?.some((each) => each['type'] === 'null') ? NULLABLE : {};
  if (branches)
    return {
      ...ofBranches(
        branches.filter((each) => each['type'] !== 'null'),
        nullable,
      ),
      ...described,
    };
  if (constant !== undefined) return { type: types[0] ?? 'string', enum: [constant], ...described };
  return {
    ...narrowed(
      schema,
      types.filter((each) => each !== 'null'),
    ),
    ...nullable,
    ...described,
  };
}

function ofBranches(branches: readonly Schema[], nullable: Schema): Schema {
  const objects = branches.filter(({ $ref }) => $ref !== undefined);
  if (objects.length > 1) return { oneOf: objects.map(strictSchema), ...nullable };
  if (objects.length === 1) return { allOf: objects.map(strictSchema), ...nullable };
  return { ...strictSchema(branches[0]!), ...nullable };
}

type Schemas = Readonly<Record<string, Schema>>;

/** A success or a refusal, by `status_code`, as one object: unions of replies are unreadable in most languages. */
function replyOf(schema: Schema, schemas: Schemas): Schema {
  const [success] = (schema['oneOf'] ?? []) as Schema[];
  if (!success) return strictSchema(schema);
  const { properties } = schemas[(success['$ref'] as string).split('/').at(-1)!]!;
  const { response, ...status } = properties as Schemas;
  const whole = response && response['type'] !== 'null' ? strictSchema(response) : undefined;
  return {
    type: 'object',
    properties: {
      status_code: { type: 'integer', description: '200, or 210 where an argument is wrong.' },
      status_message: { type: 'string', description: 'OK, or the reason.' },
      ...(whole && { response: { allOf: [whole], ...NULLABLE } }),
    },
    required: Object.keys(status),
  };
}

function strictContent(body: Schema, schemaOf: (schema: Schema) => Schema): Schema {
  const content = body['content'] as Schemas | undefined;
  if (!content) return body;
  const strictly = Object.entries(content).map(([type, { schema }]) => [type, { schema: schemaOf(schema as Schema) }]);
  return { ...body, content: Object.fromEntries(strictly) };
}

/** OpenAPI 3.0 with one type for each value, for generators of clients. What it describes is part of what is accepted, and all that is answered. */
export function strictDocument(document: OpenApi): Schema {
  const { paths, components, info, servers, tags } = document;
  const { schemas, responses, securitySchemes } = components as Readonly<Record<string, Schemas>>;
  const strictPaths = Object.entries(paths).map(([path, operations]) => [
    path,
    Object.fromEntries(
      Object.entries(operations).map(([verb, operation]) => [
        verb,
        {
          ...operation,
          ...(operation.parameters && {
            parameters: operation.parameters.map((each) => ({
              ...each,
              schema: strictSchema(each['schema'] as Schema),
            })),
          }),
          ...(operation.requestBody && { requestBody: strictContent(operation.requestBody, strictSchema) }),
          responses: Object.fromEntries(
            Object.entries(operation.responses).map(([status, response]) => [
              status,
              strictContent(response, (schema) => replyOf(schema, schemas!)),
            ]),
          ),
        },
      ]),
    ),
  ]);
  return {
    openapi: '3.0.3',
    info,
    servers,
    tags,
    paths: Object.fromEntries(strictPaths),
    components: {
      securitySchemes,
      responses,
      schemas: Object.fromEntries(Object.entries(schemas!).map(([name, schema]) => [name, strictSchema(schema)])),
    },
  };
}
