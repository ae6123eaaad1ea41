import { choicesOf, type Family, type Method, platformWordOf } from '@tidings/contract';
import { z } from 'zod';
import { type Schema, simplified } from './simplify.ts';

interface ObjectSchema extends Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

const schemaOf = (type: z.ZodType, io: 'input' | 'output'): ObjectSchema => {
  const { $schema: _, ...schema } = z.toJSONSchema(type, { io, unrepresentable: 'any' });
  return simplified(schema);
};

export const pathParameters = ({ path }: Pick<Method, 'path'>): string[] =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);

export const hasBody = ({ verb }: Pick<Method, 'verb'>): boolean => verb !== 'GET' && verb !== 'DELETE';

export function parametersOf(method: Method): Schema[] {
  const { properties = {}, required = [] } = schemaOf(method.input, 'input');
  const inPath = pathParameters(method);
  const inQuery = hasBody(method) ? [] : Object.keys(properties).filter((each) => !inPath.includes(each));
  return [
    ...inPath.map((each) => ({
      name: each,
      in: 'path',
      required: true,
      description: properties[each]?.['description'],
      schema: { type: 'string' },
    })),
    ...inQuery.map((each) => {
      const { description, ...schema } = properties[each]!;
      return { name: each, in: 'query', required: required.includes(each), description, schema };
    }),
  ];
}

function inputsOf(method: Method): ObjectSchema[] {
  const choices = choicesOf(method.input);
  if (!choices) return [schemaOf(method.input, 'input')];
  return [...choices.schemas].map(([value, type]) => {
    const schema = schemaOf(type, 'input');
    const deciding = simplified({ enum: typeof value === 'number' ? [value, String(value)] : [value] });
    const word = platformWordOf(Number(value));
    const title = `${choices.by} ${value}${word === undefined ? '' : ` (${word})`}`;
    const by = { ...deciding, description: schema.properties?.[choices.by]?.['description'] };
    return { title, ...schema, properties: { ...schema.properties, [choices.by]: by } };
  });
}

export function bodySchema(method: Method): Schema {
  const names = new Set(pathParameters(method));
  // The token may be in the header instead (R-T3).
  const credential =
    method.scope === 'api' ? { auth: text('API token. Optional if the `Authorization` header carries it.') } : {};
  const bare = inputsOf(method).map(({ properties = {}, required = [], ...schema }) => {
    const fields = Object.entries(properties).filter(([field]) => !names.has(field));
    const needed = required.filter((field) => !names.has(field));
    return {
      ...schema,
      type: 'object',
      properties: { ...credential, ...Object.fromEntries(fields) },
      ...(needed.length > 0 && { required: needed }),
    };
  });
  const whole = bare.length === 1 ? bare[0]! : { anyOf: bare };
  if (method.body !== 'wrapped') return whole;
  const request = { ...whole, description: 'The parameters of the method.' };
  return { type: 'object', properties: { request }, required: ['request'] };
}

const text = (description: string): Schema => ({ type: 'string', description });
const integer = (description: string): Schema => ({ type: 'integer', description });
const nothing: Schema = { type: 'null', description: 'Always null.' };
const objectOf = (properties: Schema, required = Object.keys(properties)): Schema => ({
  type: 'object',
  properties,
  required,
});

const refusalOf = (response: Schema): Schema => ({
  ...objectOf({
    status_code: { type: 'integer', const: 210, description: 'Says that an argument is wrong.' },
    status_message: text('The reason, which names the field.'),
    response,
  }),
  description: 'An argument is wrong; nothing was changed. The same request is refused again.',
});

const noMessages: Schema = {
  ...objectOf({
    Messages: {
      type: 'array',
      items: { type: 'string' },
      maxItems: 0,
      description: 'Always empty: no message was created.',
    },
  }),
  description: 'No message was created.',
};

const gatewayError = objectOf({
  code: integer('The code of gRPC that the HTTP status stands for.'),
  message: text('The reason.'),
  details: { type: 'array', items: { type: 'string' }, maxItems: 0, description: 'Always empty.' },
});

export const ref = (name: string, kind: 'schemas' | 'responses' = 'schemas'): Schema => ({
  $ref: `#/components/${kind}/${name}`,
});

export const sharedSchemas: Readonly<Record<string, Schema>> = {
  Refusal: refusalOf(nothing),
  MessageRefusal: refusalOf(noMessages),
  MethodFault: objectOf(
    {
      status_code: integer('The HTTP status once more; absent with HTTP 400 and 401.'),
      status_message: text('The reason.'),
      response: nothing,
    },
    ['status_message', 'response'],
  ),
  GatewayFault: gatewayError,
  AudienceFault: objectOf({ message: text('The reason.') }),
  AdministrationFault: objectOf({
    error: {
      ...objectOf({ kind: text('What kind of fault it is, such as `argument`.'), message: text('The reason.') }),
      description: 'What is wrong.',
    },
  }),
};

export const faultNames: Readonly<Record<Family, string>> = {
  json13: 'MethodFault',
  apiV2: 'GatewayFault',
  notify: 'GatewayFault',
  audience: 'AudienceFault',
  admin: 'AdministrationFault',
};

export const refusalExample = ({ messagesOn210 }: Pick<Method, 'messagesOn210'>): unknown => ({
  status_code: 210,
  status_message: 'Access denied or application not found',
  response: messagesOn210 ? { Messages: [] } : null,
});

export const refusalSchema = ({ messagesOn210 }: Pick<Method, 'messagesOn210'>): Schema =>
  ref(messagesOn210 ? 'MessageRefusal' : 'Refusal');

export function replySchema(method: Method): Schema {
  const isNothing = method.output instanceof z.ZodVoid;
  const response = isNothing ? nothing : schemaOf(method.output, 'output');
  if (method.family !== 'json13') return response;
  const success = objectOf({
    status_code: { type: 'integer', const: 200, description: 'Says that the method did what it should.' },
    status_message: { type: 'string', const: 'OK', description: 'Always `OK`.' },
    ...(method.omitResponse
      ? {}
      : { response: isNothing ? nothing : { ...response, description: 'What the method answers.' } }),
  });
  return { oneOf: [success, refusalSchema(method)] };
}
