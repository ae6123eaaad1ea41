import { api, type Example, type Family, type Method, notes } from '@tidings/contract';
import { envelopes } from '../envelopes/envelopes.ts';
import { bodySchema, faultSchemas, hasBody, parametersOf, pathParameters, replySchema, type Schema } from './schema.ts';

export interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters?: readonly Schema[];
  readonly requestBody?: Schema;
  readonly responses: Readonly<Record<string, Schema>>;
}

/** An OpenAPI 3.1 document, as far as it is made here. */
export interface OpenApi {
  readonly openapi: '3.1.0';
  readonly info: Schema;
  readonly servers: readonly { readonly url: string }[];
  readonly tags: readonly { readonly name: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: Schema;
}

const securitySchemes = {
  api: { type: 'apiKey', in: 'header', name: 'Authorization', description: '`Api <API token>`, or `auth` in the body' },
  device: { type: 'apiKey', in: 'header', name: 'Authorization', description: '`Token <device token>`' },
  administrator: { type: 'http', scheme: 'bearer', description: 'The administrator token' },
};

const security: Readonly<Record<Method['scope'], Operation['security']>> = {
  api: [{ api: [] }],
  server: [{ api: [] }],
  device: [{ device: [] }],
  admin: [{ administrator: [] }],
  optional: [{ api: [] }, {}],
  none: [],
};

const descriptions = {
  400: 'The request is malformed, or a required argument is missing',
  401: 'The token is missing or invalid',
  403: 'The token is missing, invalid or restricted',
  404: 'There is no such thing',
  405: 'Method not allowed: `Allow` names the verbs that are',
  409: 'It is there already, or its state does not allow it',
  413: 'The request is too large',
  429: 'The token is over its limit: repeat after the seconds in `Retry-After`',
  500: 'Internal error: repeat later',
  503: 'Service unavailable: repeat later',
} as const;

type FaultStatus = keyof typeof descriptions;

/** HTTP statuses of faults, by family; what is wrong with a value stands in a reply of `/json/1.3/` with HTTP 200. */
const faultStatuses: Readonly<Record<Family, readonly FaultStatus[]>> = {
  json13: [400, 403, 405, 413, 429, 500],
  apiV2: [400, 401, 403, 404, 405, 413, 429, 500, 503],
  notify: [400, 401, 403, 404, 405, 413, 429, 500, 503],
  audience: [400, 403, 404, 405, 413, 429, 500],
  admin: [400, 401, 404, 405, 409, 413, 500, 503],
};

function faultsOf(method: Method): Readonly<Record<string, Schema>> {
  const content = { 'application/json': { schema: faultSchemas[method.family] } };
  const statuses = faultStatuses[method.family]
    .flatMap((status): FaultStatus[] => (status === 403 && method.unauthorized ? [401, status] : [status]))
    .filter((status) => status !== 413 || hasBody(method));
  return Object.fromEntries(statuses.map((status) => [status, { description: descriptions[status], content }]));
}

const examplesOf = (values: readonly unknown[]): Schema =>
  Object.fromEntries(values.map((value, i) => [`example${i + 1}`, { value }]));

/** A body as it is sent: with a place for the token where it belongs into the body. */
function sent(method: Method, { request }: Example<unknown>): unknown {
  const names = new Set(pathParameters(method));
  const fields = Object.fromEntries(Object.entries(request).filter(([name]) => !names.has(name)));
  const given = method.scope === 'api' ? { auth: 'API_TOKEN', ...fields } : fields;
  return method.body === 'wrapped' ? { request: given } : given;
}

const answered = (method: Method, { reply }: Example<unknown>): unknown => {
  const { body } = envelopes[method.family].success(method, reply);
  return body === '' ? undefined : JSON.parse(body);
};

function operationOf(name: string, method: Method): Operation {
  const note = notes[name];
  const type = method.textReply ? 'text/plain' : 'application/json';
  const reply = method.textReply ? { type: 'string' } : replySchema(method);
  const examples = examplesOf(
    method.examples
      .map((one) => (method.textReply ? one.reply : answered(method, one)))
      .filter((one) => one !== undefined),
  );
  const parameters = parametersOf(method);
  return {
    operationId: name,
    tags: [note?.folder ?? method.family],
    summary: note?.text ?? '',
    security: security[method.scope],
    ...(parameters.length > 0 && { parameters }),
    ...(hasBody(method) && {
      requestBody: {
        required: true,
        content: {
          'application/json': {
            schema: bodySchema(method),
            examples: examplesOf(method.examples.map((one) => sent(method, one))),
          },
        },
      },
    }),
    responses: {
      [method.status]:
        method.status === 204
          ? { description: 'Done' }
          : { description: 'Success', content: { [type]: { schema: reply, examples } } },
      ...faultsOf(method),
    },
  };
}

/** The whole API as the contract has it: every method that is served, with its examples (architecture 7). */
export function openApiOf(url: string): OpenApi {
  const paths: Record<string, Record<string, Operation>> = {};
  for (const [name, method] of Object.entries<Method>(api)) {
    (paths[method.path] ??= {})[method.verb.toLowerCase()] = operationOf(name, method);
  }
  const tags = new Set(Object.values(paths).flatMap((of) => Object.values(of).flatMap((operation) => operation.tags)));
  return {
    openapi: '3.1.0',
    info: {
      title: 'Tidings',
      version: '1.3',
      description:
        'Methods of `/json/1.3/` take their parameters in `request` and answer HTTP 200 with `status_code` 200, or 210 and the reason in ' +
        '`status_message` when an argument is wrong.',
    },
    servers: [{ url }],
    tags: [...tags].map((name) => ({ name })),
    paths,
    components: { securitySchemes },
  };
}
