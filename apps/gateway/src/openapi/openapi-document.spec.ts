import { describe, expect, it } from '@jest/globals';
import { Validator } from '@seriousme/openapi-schema-validator';
import { api, choicesOf, type Method } from '@tidings/contract';
import { z } from 'zod';
import { openApiOf } from './openapi-document.ts';
import type { Schema } from './simplify.ts';

interface Body {
  readonly content: Readonly<
    Record<string, { schema: Schema; examples?: Readonly<Record<string, { value: unknown }>> }>
  >;
}

const document = openApiOf('https://push.example.com');
const operations = Object.values(document.paths).flatMap((of) => Object.values(of));
const named = operations.map((operation) => [operation.operationId, operation] as const);
const methodOf = (name: string): Method => (api as unknown as Readonly<Record<string, Method>>)[name]!;

function resolved(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(resolved);
  if (typeof value !== 'object' || value === null) return value;
  const { $ref } = value as { readonly $ref?: string };
  if ($ref === undefined) return Object.fromEntries(Object.entries(value).map(([key, of]) => [key, resolved(of)]));
  const { schemas } = document.components as { readonly schemas: Readonly<Record<string, unknown>> };
  return resolved(schemas[$ref.replace('#/components/schemas/', '')]);
}

function faultsOf(body: Body | undefined): unknown[] {
  return Object.values(body?.content ?? {}).flatMap(({ schema, examples = {} }) => {
    const type = z.fromJSONSchema(resolved(schema) as Parameters<typeof z.fromJSONSchema>[0]);
    return Object.values(examples).flatMap(({ value }) => type.safeParse(value).error?.issues ?? []);
  });
}

const SAYING = ['type', 'anyOf', 'oneOf', 'allOf', 'enum', 'const', '$ref', 'not', 'title'];

interface Found {
  readonly path: readonly string[];
  readonly schema: Schema;
  readonly isField: boolean;
}

function within(schema: Schema, path: readonly string[] = [], isField = false): Found[] {
  const { properties = {}, items, prefixItems = [], additionalProperties, anyOf = [], oneOf = [] } = schema;
  const lists = [prefixItems, anyOf, oneOf] as Schema[][];
  const entries = [items, additionalProperties].filter((of) => typeof of === 'object') as Schema[];
  return [
    { path, schema, isField },
    ...Object.entries(properties as Schema).flatMap(([name, of]) => within(of as Schema, [...path, name], true)),
    ...[...lists.flat(), ...entries].flatMap((of) => within(of, path)),
  ];
}

const WRAPPERS = new Set(['request', 'response']);

function foundIn({ requestBody, responses, parameters = [] }: (typeof operations)[number]): Found[] {
  const bodies = [requestBody, ...Object.values(responses)] as (Body | undefined)[];
  const schemas = bodies.flatMap((body) => Object.values(body?.content ?? {}).map(({ schema }) => schema));
  const fields = parameters.map(({ name, schema, description }) => ({
    path: [name as string],
    isField: true,
    schema: { ...(schema as Schema), description },
  }));
  return [
    ...fields,
    ...schemas
      .flatMap((schema) => within(resolved(schema) as Schema))
      .map((found) => ({
        ...found,
        path: WRAPPERS.has(found.path[0]!) && found.path.length > 1 ? found.path.slice(1) : found.path,
      })),
  ];
}

const textsUnder =
  (...keywords: readonly string[]) =>
  (value: unknown): string[] =>
    Object.entries(value ?? {}).flatMap(([key, of]) => {
      if (typeof of === 'object') return textsUnder(...keywords)(of);
      return keywords.includes(key) ? [of as string] : [];
    });

const texts = textsUnder('description', 'summary');

const textsOfSchema = (type: z.ZodType, io: 'input' | 'output'): string[] =>
  textsUnder('description', 'constraint')(z.toJSONSchema(type, { io, unrepresentable: 'any' }));

describe('openApiOf', () => {
  const operation = (name: string) => operations.find(({ operationId }) => operationId === name)!;

  it('describes every served method once', () => {
    expect(operations.map(({ operationId }) => operationId).toSorted()).toEqual(Object.keys(api).toSorted());
  });

  it('is valid OpenAPI', async () => {
    const { valid, errors } = await new Validator().validate({ ...structuredClone(document) });
    expect({ valid, errors }).toMatchObject({ valid: true });
  });

  it.each(named)('gives %s a description, and schemas that accept its examples', (name, operation) => {
    const { description, requestBody, responses } = operation;
    expect(description).not.toBe('');
    expect(faultsOf(requestBody as Body | undefined)).toEqual([]);
    expect(faultsOf(responses[methodOf(name).status] as unknown as Body)).toEqual([]);
  });

  it('describes the posts to subscribers, by schemas that accept their examples (R-EV6, R-EV8)', () => {
    const { post } = document.webhooks['events'] as { readonly post: (typeof operations)[number] };
    const body = post.requestBody as unknown as Body;
    expect(Object.keys(body.content)).toEqual(['application/json', 'application/cloudevents-batch+json']);
    expect([faultsOf(body), faultsOf(post.responses[200] as unknown as Body)]).toEqual([[], []]);
    const unexplained = foundIn(post).filter(({ schema, isField }) => isField && !schema['description']);
    expect(unexplained.map(({ path }) => path.join('.'))).toEqual([]);
  });

  it.each(named)('describes each field of %s', (_, operation) => {
    const found = foundIn(operation);
    const unsaid = found.filter(({ schema }) => !SAYING.some((word) => word in schema));
    const unexplained = found.filter(({ schema, isField }) => isField && !schema['description']);
    expect({ unsaid, unexplained: unexplained.map(({ path }) => path.join('.')) }).toEqual({
      unsaid: [],
      unexplained: [],
    });
  });

  it('shows every description and constraint of a schema', () => {
    const shown = [...new Set(texts(document))];
    const given = Object.values<Method>(api).flatMap(({ input, output }) => [
      ...[...(choicesOf(input)?.schemas.values() ?? [input])].flatMap((type) => textsOfSchema(type, 'input')),
      ...textsOfSchema(output, 'output'),
    ]);
    expect(given.length).toBeGreaterThan(1000);
    const isShown = (text: string) => shown.some((each) => each.startsWith(text) || each.endsWith(text));
    expect([...new Set(given)].filter((text) => !isShown(text))).toEqual([]);
    expect(JSON.stringify(document)).not.toContain('"constraint":');
  });

  it('contains no construct that common client generators drop, such as lists of several types', () => {
    const found = operations.flatMap(foundIn);
    const mixed = found.filter(({ schema }) => {
      const values = ((schema['enum'] ?? []) as unknown[]).filter((value) => value !== null);
      return new Set(values.map((value) => typeof value)).size > 1;
    });
    const untyped = found.filter(({ schema }) => {
      const isArray = [schema['type']].flat().includes('array');
      return isArray && schema['items'] === undefined && schema['prefixItems'] === undefined;
    });
    expect({ mixed, untyped }).toEqual({ mixed: [], untyped: [] });
  });

  it('cites no internal document, and names each token in one way', () => {
    const all = texts(document);
    expect(all.filter((text) => /\bR-[A-Z]+\d|\b(Spec|Facts) \w+\.|architecture \d/.test(text))).toEqual([]);
    const tokens = JSON.stringify(document).match(/\b[A-Z]+_(TOKEN|KEY)\b/g);
    expect(new Set(tokens)).toEqual(
      new Set(
        ['API_TOKEN', 'DEVICE_TOKEN', 'ADMINISTRATOR_TOKEN', 'NO_TOKEN', 'INVALID_TOKEN'].filter((each) =>
          tokens?.includes(each),
        ),
      ),
    );
    expect(JSON.stringify(document)).not.toMatch(/"auth":"(?!API_TOKEN)/);
  });

  it.each([
    ['registerDevice', 'Refusal'],
    ['createMessage', 'MessageRefusal'],
  ])('declares HTTP 200 with a success or a refusal for %s', (name, refusal) => {
    const { schema } = (operation(name).responses[200] as unknown as Body).content['application/json']!;
    expect(schema).toMatchObject({ oneOf: [{}, { $ref: `#/components/schemas/${refusal}` }] });
    expect(resolved(schema)).toMatchObject({
      oneOf: [{ properties: { status_code: { const: 200 } } }, { properties: { status_code: { const: 210 } } }],
    });
  });

  it('names every object with fields, after the method unless several have it', () => {
    const { schemas } = document.components as { readonly schemas: Readonly<Record<string, Schema>> };
    const unnamed = (schema: Schema): Found[] => within(schema).filter(({ schema: { properties } }) => properties);
    const faults = ['Refusal', 'MessageRefusal', 'AdministrationFault'];
    const inlined = Object.entries(schemas).filter(
      ([name, schema]) => unnamed(schema).length > 1 && !faults.includes(name),
    );
    expect(inlined.map(([name]) => name)).toEqual([]);
    for (const { requestBody, responses } of operations) {
      for (const body of [requestBody, ...Object.values(responses)] as (Body | undefined)[])
        for (const { schema } of Object.values(body?.content ?? {})) expect(unnamed(schema)).toEqual([]);
    }
    const names = Object.keys(schemas);
    expect(names.filter((name) => !/^[A-Z]\w*$/.test(name))).toEqual([]);
    for (const name of ['CreateMessageNotification', 'ConfigureApplicationIos', 'RegisterDeviceRequest', 'Topic'])
      expect(names).toContain(name);
  });

  it('has one object for equal ones', () => {
    const { schemas } = document.components as { readonly schemas: Readonly<Record<string, Schema>> };
    const days = Object.values(schemas).find(({ properties }) => Object.hasOwn(Object(properties) as object, 'Mon'));
    expect([...new Set(JSON.stringify(days).match(/schemas\/\w+/g))]).toEqual(['schemas/TimetableItem']);
  });

  it('declares a file as text, and a refusal of it as JSON', () => {
    const { content } = operation('getApplicationFile').responses[200] as unknown as Body;
    expect(content).toMatchObject({
      'text/plain': { schema: { type: 'string' } },
      'application/json': { schema: { $ref: '#/components/schemas/Refusal' } },
    });
  });

  it.each([
    ['createApplication', 'title', { minLength: 1, maxLength: 255 }],
    ['createMessage', 'notifications', { minItems: 1, maxItems: 1000 }],
    ['createMessage', 'notifications.devices', { minItems: 1, maxItems: 1000 }],
    ['createMessage', 'notifications.link', { maxLength: 65_536 }],
    ['createMessage', 'notifications.android_priority', { minimum: -2, maximum: 2 }],
    ['addGeoZone', 'geozones.range', { minimum: 50, maximum: 1000 }],
    ['addGeoZone', 'geozones.lat', { minimum: -90, maximum: 90 }],
    ['bulkRegisterDevice', 'devices', { minItems: 1, maxItems: 50_000 }],
    ['setControlGroup', 'percentage', { minimum: 0, maximum: 100 }],
    ['registerDevice', 'hwid', { minLength: 1, maxLength: 255 }],
  ])('declares the limits of %s %s', (name, path, limits) => {
    const fields = foundIn(operation(name)).filter((found) => found.isField && found.path.join('.') === path);
    expect(fields[0]?.schema).toMatchObject(limits);
  });

  it('declares the settings of each platform', () => {
    const { schema } = (operation('configureApplication').requestBody as unknown as Body).content['application/json']!;
    const { properties } = resolved(schema) as {
      properties: { request: { anyOf: { properties: object; required: string[] }[] } };
    };
    const iOS = properties.request.anyOf.find(({ properties: of }) => 'ios_key_file' in of)!;
    expect(iOS.properties).toMatchObject({
      application: {},
      auth: {},
      device_type: {
        anyOf: [
          { type: 'integer', enum: [1] },
          { type: 'string', enum: ['1'] },
        ],
      },
    });
    expect(iOS.required).toEqual(expect.arrayContaining(['application', 'device_type', 'ios_key_management_type']));
    expect(iOS.required).not.toContain('auth');
  });

  it('names the parameters of the query', () => {
    expect(operation('getBulkSetTags').parameters).toEqual([
      {
        name: 'request_id',
        in: 'path',
        required: true,
        description: 'Identifies the job.',
        schema: { type: 'string' },
      },
      expect.objectContaining({ name: 'detailed', in: 'query', required: false }),
    ]);
    expect(operation('deleteToken').parameters).toMatchObject([{ name: 'id', in: 'path' }]);
  });

  it.each([
    ['deleteDevice', '200 400 401 403 405 413 429 500'],
    ['messagesList', '200 400 401 403 404 405 413 429 500 503'],
    ['getBulkSetTags', '200 400 403 404 405 429 500'],
    ['deleteToken', '204 400 401 403 404 405 409 429 500 503'],
    ['advanceClock', '200 400 401 403 404 405 409 413 429 500 503'],
  ])('declares the faults of %s', (name, statuses) => {
    expect(Object.keys(operation(name).responses).join(' ')).toBe(statuses);
  });

  it('declares the maximum length of a token (R-LM6)', () => {
    const { schema } = (operation('registerDevice').requestBody as unknown as Body).content['application/json']!;
    const { request } = (resolved(schema) as { properties: { request: unknown } }).properties as {
      request: { properties: object };
    };
    const limited = (maxLength: number): unknown => expect.objectContaining({ maxLength });
    expect(request.properties).toMatchObject({
      push_token: limited(4096),
      fcm_token: limited(4096),
      fcm_push_set: limited(4096),
      public_key: limited(2048),
      auth_token: limited(2048),
    });
  });

  it('declares the public URL', () => {
    expect(document.servers).toEqual([{ url: 'https://push.example.com' }]);
  });
});
