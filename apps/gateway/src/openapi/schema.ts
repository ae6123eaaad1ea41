import type { Method } from '@tidings/contract';
import { z } from 'zod';

export type Schema = Readonly<Record<string, unknown>>;

/** A schema as JSON Schema 2020-12; what no JSON Schema can say (dates in domain shape, values of any kind) is left open. */
const schemaOf = (type: z.ZodType, io: 'input' | 'output'): Schema => {
  const { $schema: _, ...schema } = z.toJSONSchema(type, { io, unrepresentable: 'any' });
  return schema;
};

/** Names in braces in a method's path. */
export const pathParameters = ({ path }: Pick<Method, 'path'>): string[] =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);

/** What a request's body holds: the parameters, without those of the path, wrapped where the family wraps them. */
export function bodySchema(method: Method): Schema {
  const names = new Set(pathParameters(method));
  const {
    properties = {},
    required = [],
    ...schema
  } = schemaOf(method.input, 'input') as {
    properties?: Record<string, unknown>;
    required?: string[];
  };
  const credential = method.scope === 'api' ? { auth: { type: 'string', description: 'API token' } } : {};
  const bare = {
    ...schema,
    type: 'object',
    properties: {
      ...credential,
      ...Object.fromEntries(Object.entries(properties).filter(([name]) => !names.has(name))),
    },
    required: [...Object.keys(credential), ...required.filter((name) => !names.has(name))],
  };
  if (method.body !== 'wrapped') return bare;
  return { type: 'object', properties: { request: bare }, required: ['request'] };
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
