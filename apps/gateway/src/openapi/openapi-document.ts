import { type Example, type Family, groups, type Method } from '@tidings/contract';
import { envelopes } from '../envelopes/envelopes.ts';
import { storesMore } from '../limits/storage-guard.ts';
import { introductionOf, placeholders } from './introduction.ts';
import {
  bodySchema,
  faultNames,
  hasBody,
  parametersOf,
  pathParameters,
  ref,
  refusalExample,
  refusalSchema,
  replySchema,
  sharedSchemas,
} from './schema.ts';
import { BODY, NamedSchemas, REPLY } from './named-schemas.ts';
import type { Schema } from './simplify.ts';
import { webhooks } from './webhooks.ts';

export interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters?: readonly Schema[];
  readonly requestBody?: Schema;
  readonly responses: Readonly<Record<string, Schema>>;
}

export interface OpenApi {
  readonly openapi: '3.1.0';
  readonly info: Schema;
  readonly servers: readonly { readonly url: string }[];
  readonly tags: readonly { readonly name: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly webhooks: Readonly<Record<string, Schema>>;
  readonly components: Schema;
}

const apiKey = (description: string): Schema => ({ type: 'apiKey', in: 'header', name: 'Authorization', description });

const securitySchemes = {
  api: apiKey(`API token: \`Api ${placeholders.api}\`. Where a body has \`auth\`, it may stand there instead.`),
  device: apiKey(`Device token: \`Token ${placeholders.device}\`.`),
  administrator: { type: 'http', scheme: 'bearer', description: 'Administrator token.' },
};

const security: Readonly<Record<Method['scope'], Operation['security']>> = {
  api: [{ api: [] }],
  server: [{ api: [] }],
  device: [{ device: [] }],
  admin: [{ administrator: [] }],
  optional: [{ api: [] }, {}],
  none: [],
};

/** Some pages show Markdown unrendered. */
const descriptions = {
  400: 'The request is malformed, or a required argument is missing',
  401: 'The token is missing or invalid',
  403: 'The token is missing, invalid or restricted, or the deployment does not permit the method',
  404: 'There is no such thing',
  405: 'Method not allowed: the header Allow names the verbs that are',
  409: 'It is there already, or its state does not allow it',
  413: 'The request is too large',
  429: 'The token, the caller of a method without one, or what the method limits, is over its limit: repeat after the seconds in Retry-After',
  500: 'Internal error: repeat later, where there is Retry-After after that many seconds; messages with the same transactionId',
  503: 'Service unavailable: repeat after the seconds in Retry-After',
} as const;

type FaultStatus = keyof typeof descriptions;

const faultStatuses: Readonly<Record<Family, readonly FaultStatus[]>> = {
  json13: [400, 403, 405, 413, 429, 500],
  apiV2: [400, 401, 403, 404, 405, 413, 429, 500, 503],
  notify: [400, 401, 403, 404, 405, 413, 429, 500, 503],
  audience: [400, 403, 404, 405, 413, 429, 500],
  admin: [400, 401, 403, 404, 405, 409, 413, 429, 500, 503],
};

const statusesOf = (name: string, method: Method): readonly FaultStatus[] => {
  const statuses = faultStatuses[method.family];
  return storesMore(name, method) && !statuses.includes(503) ? [...statuses, 503] : statuses;
};

const responseName = (family: Family, status: FaultStatus): string => `${faultNames[family]}${status}`;

const faultResponses: Readonly<Record<string, Schema>> = Object.fromEntries(
  (Object.keys(faultStatuses) as Family[]).flatMap((family) =>
    (Object.keys(descriptions).map(Number) as FaultStatus[]).map((status) => [
      responseName(family, status),
      { description: descriptions[status], content: { 'application/json': { schema: ref(faultNames[family]) } } },
    ]),
  ),
);

function faultsOf(name: string, method: Method): Readonly<Record<string, Schema>> {
  const statuses = statusesOf(name, method)
    .flatMap((status): FaultStatus[] => (status === 403 && method.unauthorized ? [401, status] : [status]))
    .filter((status) => status !== 413 || hasBody(method));
  const refs = statuses.map((status): [number, Schema] => [
    status,
    ref(responseName(method.family, status), 'responses'),
  ]);
  return Object.fromEntries(refs);
}

const examplesOf = (values: readonly unknown[]): Schema =>
  Object.fromEntries(values.map((value, i) => [`example${i + 1}`, { value }]));

function sent(method: Method, { request }: Example<unknown>): unknown {
  const names = new Set([...pathParameters(method), ...(method.scope === 'api' ? ['auth'] : [])]);
  const fields = Object.fromEntries(Object.entries(request).filter(([name]) => !names.has(name)));
  return method.body === 'wrapped' ? { request: fields } : fields;
}

const answered = (method: Method, { reply }: Example<unknown>): unknown => {
  const { body } = envelopes[method.family].success(method, reply);
  return body === '' ? undefined : JSON.parse(body);
};

function contentOf(name: string, method: Method): Schema {
  const answers = method.examples
    .map((one) => (method.textReply ? one.reply : answered(method, one)))
    .filter((one) => one !== undefined);
  const examples = examplesOf(answers);
  const refused = method.family === 'json13' ? { refusal: { value: refusalExample(method) } } : {};
  if (!method.textReply) {
    return { 'application/json': { schema: replySchema(method), examples: { ...examples, ...refused } } };
  }
  return {
    'text/plain': { schema: { type: 'string', description: 'The file.' }, examples },
    'application/json': { schema: refusalSchema(method), examples: refused },
  };
}

function successOf(name: string, method: Method): Schema {
  if (method.status === 204) return { description: 'Done.' };
  const description = method.family === 'json13' ? 'Success, or a refusal where status_code is 210.' : 'Success.';
  return { description, content: contentOf(name, method) };
}

function operationOf(group: string, name: string, method: Method): Operation {
  const parameters = parametersOf(method);
  const bodies = examplesOf(method.examples.map((one) => sent(method, one)));
  return {
    operationId: name,
    tags: [group],
    summary: name,
    description: method.description,
    security: security[method.scope],
    ...(parameters.length > 0 && { parameters }),
    ...(hasBody(method) && {
      requestBody: {
        required: true,
        content: { 'application/json': { schema: bodySchema(method), examples: bodies } },
      },
    }),
    responses: { [method.status]: successOf(name, method), ...faultsOf(name, method) },
  };
}

type Paths = Readonly<Record<string, Readonly<Record<string, Operation>>>>;

function pathsOf(): Paths {
  const paths: Record<string, Record<string, Operation>> = {};
  for (const [group, methods] of Object.entries(groups)) {
    for (const [name, method] of Object.entries<Method>(methods)) {
      (paths[method.path] ??= {})[method.verb.toLowerCase()] = operationOf(group, name, method);
    }
  }
  return paths;
}

type Visit = (schema: Schema, path: readonly string[]) => Schema;

/** Rebuilds a body or a reply of JSON with another schema. */
function withJson(body: Schema, path: readonly string[], visit: Visit): Schema {
  const content = body['content'] as Record<string, { readonly schema: Schema }> | undefined;
  const json = content?.['application/json'];
  if (!json) return body;
  return { ...body, content: { ...content, 'application/json': { ...json, schema: visit(json.schema, path) } } };
}

function withSchemas(operation: Operation, visit: Visit): Operation {
  const { operationId: name, requestBody, responses } = operation;
  return {
    ...operation,
    ...(requestBody && { requestBody: withJson(requestBody, [name, BODY], visit) }),
    responses: Object.fromEntries(
      Object.entries(responses).map(([status, response]) => [status, withJson(response, [name, REPLY], visit)]),
    ),
  };
}

const mapOperations = (paths: Paths, map: (operation: Operation) => Operation): Paths =>
  Object.fromEntries(
    Object.entries(paths).map(([path, verbs]) => [
      path,
      Object.fromEntries(Object.entries(verbs).map(([verb, operation]) => [verb, map(operation)])),
    ]),
  );

export function openApiOf(url: string): OpenApi {
  const inlined = pathsOf();
  const named = new NamedSchemas(Object.keys(sharedSchemas));
  mapOperations(inlined, (operation) =>
    withSchemas(operation, (schema, path) => {
      named.collect(schema, path);
      return schema;
    }),
  );
  const paths = mapOperations(inlined, (operation) =>
    withSchemas(operation, (schema, path) => named.replaced(schema, path)),
  );
  return {
    openapi: '3.1.0',
    info: {
      title: 'Tidings',
      version: '1.3',
      description: introductionOf(url),
    },
    servers: [{ url }],
    tags: Object.keys(groups).map((name) => ({ name })),
    paths,
    webhooks,
    components: {
      securitySchemes,
      responses: faultResponses,
      schemas: { ...sharedSchemas, ...named.components },
    },
  };
}
