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
