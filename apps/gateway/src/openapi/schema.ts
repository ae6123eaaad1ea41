import { choicesOf, type Family, type Method } from '@tidings/contract';
import { z } from 'zod';

export type Schema = Readonly<Record<string, unknown>>;

interface ObjectSchema extends Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

/** A schema as JSON Schema 2020-12. What none can say of itself, such as a check of its own, says so by its meta data. */
const schemaOf = (type: z.ZodType, io: 'input' | 'output'): ObjectSchema => {
  const { $schema: _, ...schema } = z.toJSONSchema(type, { io, unrepresentable: 'any' });
  return schema as ObjectSchema;
};

/** Names in braces in a method's path. */
export const pathParameters = ({ path }: Pick<Method, 'path'>): string[] =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);

/** Whether a method's parameters come in a body; else they come in the query. */
export const hasBody = ({ verb }: Pick<Method, 'verb'>): boolean => verb !== 'GET' && verb !== 'DELETE';

/** The parameters of a method that stand in its path, and those in its query where it has no body. */
export function parametersOf(method: Method): Schema[] {
  const { properties = {}, required = [] } = schemaOf(method.input, 'input');
  const inPath = pathParameters(method);
  const inQuery = hasBody(method) ? [] : Object.keys(properties).filter((name) => !inPath.includes(name));
  return [
    ...inPath.map((name) => ({ name, in: 'path', required: true, schema: { type: 'string' } })),
    ...inQuery.map((name) => ({ name, in: 'query', required: required.includes(name), schema: properties[name] })),
  ];
}

/** The objects that a method takes: one, or one for each value of the field that decides what the others are. */
function inputsOf(method: Method): ObjectSchema[] {
  const choices = choicesOf(method.input);
  if (!choices) return [schemaOf(method.input, 'input')];
  return [...choices.schemas].map(([value, type]) => {
    const schema = schemaOf(type, 'input');
    const deciding = { enum: typeof value === 'number' ? [value, String(value)] : [value] };
    return { ...schema, properties: { ...schema.properties, [choices.by]: deciding } };
  });
}

/** What a request's body holds: the parameters, without those of the path, wrapped where the family wraps them. */
export function bodySchema(method: Method): Schema {
  const names = new Set(pathParameters(method));
  // The header may carry it instead (R-T3).
  const credential = method.scope === 'api' ? { auth: { type: 'string', description: 'API token' } } : {};
  const bare = inputsOf(method).map(({ properties = {}, required = [], ...schema }) => ({
    ...schema,
    type: 'object',
    properties: {
      ...credential,
      ...Object.fromEntries(Object.entries(properties).filter(([name]) => !names.has(name))),
    },
    required: required.filter((name) => !names.has(name)),
  }));
  const whole = bare.length === 1 ? bare[0]! : { anyOf: bare };
  if (method.body !== 'wrapped') return whole;
  return { type: 'object', properties: { request: whole }, required: ['request'] };
}

/** What a success answers, in its family's envelope. */
export function replySchema(method: Method): Schema {
  const response = method.output instanceof z.ZodVoid ? { type: 'null' } : schemaOf(method.output, 'output');
  if (method.family !== 'json13') return response;
  return {
    type: 'object',
    properties: {
      status_code: { type: 'integer', const: 200 },
      status_message: { type: 'string', const: 'OK' },
      ...(method.omitResponse ? {} : { response }),
    },
    required: ['status_code', 'status_message', ...(method.omitResponse ? [] : ['response'])],
  };
}

const text = { type: 'string' };
const objectOf = (properties: Schema): Schema => ({ type: 'object', properties });

const gatewayError = objectOf({ code: { type: 'integer' }, message: text, details: { type: 'array', maxItems: 0 } });

/** What a fault says, in each family's envelope. */
export const faultSchemas: Readonly<Record<Family, Schema>> = {
  json13: objectOf({ status_code: { type: 'integer' }, status_message: text, response: { type: 'null' } }),
  apiV2: gatewayError,
  notify: gatewayError,
  audience: objectOf({ message: text }),
  admin: objectOf({ error: objectOf({ kind: text, message: text }) }),
};
