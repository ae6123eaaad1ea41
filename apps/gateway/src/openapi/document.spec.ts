import { describe, expect, it } from '@jest/globals';
import { api, type Method } from '@tidings/contract';
import { z } from 'zod';
import { openApiOf } from './document.ts';
import { pageOf } from './page.ts';

interface Body {
  readonly content: Readonly<
    Record<
      string,
      { schema: Parameters<typeof z.fromJSONSchema>[0]; examples: Readonly<Record<string, { value: unknown }>> }
    >
  >;
}

const document = openApiOf('https://push.example.com');
const operations = Object.values(document.paths).flatMap((of) => Object.values(of));

/** What a JSON Schema finds wrong with the examples of a body. */
function faultsOf(body: Body | undefined): unknown[] {
  return Object.values(body?.content ?? {}).flatMap(({ schema, examples }) => {
    const type = z.fromJSONSchema(schema);
    return Object.values(examples).flatMap(({ value }) => type.safeParse(value).error?.issues ?? []);
  });
}

const SAYING = ['type', 'anyOf', 'oneOf', 'allOf', 'enum', 'const', '$ref', 'not'];

/** Paths at which a schema says nothing of what may stand there. */
function unsaid(schema: unknown, path: string): string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const { properties, items, anyOf } = schema as Record<string, unknown>;
  if (!SAYING.some((word) => word in schema)) return [path];
  return [
    ...Object.entries(properties ?? {}).flatMap(([name, of]) => unsaid(of, `${path}.${name}`)),
    ...(items === undefined ? [] : unsaid(items, `${path}[]`)),
    ...((anyOf as unknown[] | undefined) ?? []).flatMap((of) => unsaid(of, path)),
  ];
}

const schemasOf = ({ requestBody, responses, parameters = [] }: (typeof operations)[number]): [string, unknown][] => [
  ...parameters.map(({ name, schema }): [string, unknown] => [String(name), schema]),
  ...Object.entries({ request: requestBody, ...responses }).flatMap(([what, body]) =>
    Object.values((body as Body | undefined)?.content ?? {}).map(({ schema }): [string, unknown] => [what, schema]),
  ),
];

describe('openApiOf', () => {
  it('tells of every method that is served, once', () => {
    expect(operations.map(({ operationId }) => operationId).toSorted()).toEqual(Object.keys(api).toSorted());
  });

  it.each(operations.map((operation) => [operation.operationId, operation] as const))(
    '%s says what it does, and its schemas accept its examples',
    (name, { summary, requestBody, responses }) => {
      expect(summary).not.toBe('');
      expect(faultsOf(requestBody as Body | undefined)).toEqual([]);
      const { status } = (api as unknown as Readonly<Record<string, Method>>)[name]!;
      expect(faultsOf(responses[status] as unknown as Body)).toEqual([]);
    },
  );

  it.each(operations.map((operation) => [operation.operationId, operation] as const))(
    '%s leaves nothing of its parameters and replies unsaid',
    (name, operation) => {
      const paths = schemasOf(operation).flatMap(([what, schema]) => unsaid(schema, `${name} ${what}`));
      expect(paths).toEqual([]);
    },
  );

  const operation = (name: string) => operations.find(({ operationId }) => operationId === name)!;

  it('says what each platform is configured with', () => {
    const { schema } = (operation('configureApplication').requestBody as unknown as Body).content['application/json']!;
    const { properties } = schema as {
      properties: { request: { anyOf: { properties: object; required: string[] }[] } };
    };
    const iOS = properties.request.anyOf.find(({ properties: of }) => 'ios_key_file' in of)!;
    expect(iOS.properties).toMatchObject({ application: {}, auth: {}, device_type: { enum: [1, '1'] } });
    expect(iOS.required).toEqual(expect.arrayContaining(['application', 'device_type', 'ios_key_management_type']));
    expect(iOS.required).not.toContain('auth');
  });

  it('names the parameters of the query', () => {
    expect(operation('getBulkSetTags').parameters).toEqual([
      { name: 'request_id', in: 'path', required: true, schema: { type: 'string' } },
      { name: 'detailed', in: 'query', required: false, schema: expect.anything() as unknown },
    ]);
    expect(operation('deleteToken').parameters).toMatchObject([{ name: 'id', in: 'path' }]);
  });

  it.each([
    ['deleteDevice', '200 400 401 403 405 413 429 500'],
    ['messagesList', '200 400 401 403 404 405 413 429 500 503'],
    ['getBulkSetTags', '200 400 403 404 405 429 500'],
    ['deleteToken', '204 400 401 404 405 409 500 503'],
  ])('names the faults of %s', (name, statuses) => {
    expect(Object.keys(operation(name).responses).join(' ')).toBe(statuses);
  });

  it('says where it is served', () => {
    expect(document.servers).toEqual([{ url: 'https://push.example.com' }]);
  });
});

describe('pageOf', () => {
  it('shows every method, and runs nothing', () => {
    const page = pageOf(document);
    for (const { operationId } of operations) expect(page).toContain(`id="${operationId}"`);
    expect(page).not.toContain('<script');
  });
});
