import { describe, expect, it } from '@jest/globals';
import { Validator } from '@seriousme/openapi-schema-validator';
import { openApiOf } from './openapi-document.ts';
import type { Schema } from './simplify.ts';
import { strictDocument } from './strict-document.ts';

type Schemas = Readonly<Record<string, Schema>>;
const document = strictDocument(openApiOf('https://push.example.com'));
const { schemas } = document['components'] as { readonly schemas: Schemas };

const schemasIn = (value: unknown): Schema[] => {
  if (Array.isArray(value)) return value.flatMap(schemasIn);
  if (typeof value !== 'object' || value === null) return [];
  const inner = Object.entries(value).flatMap(([keyword, of]) => (keyword === 'enum' ? [] : schemasIn(of)));
  return [value as Schema, ...inner];
};

describe('the OpenAPI document for generators', () => {
  it('is valid OpenAPI 3.0', async () => {
    const { valid, errors } = await new Validator().validate(structuredClone(document) as Record<string, unknown>);
    expect({ valid, errors }).toMatchObject({ valid: true });
  });

  it('has one type for each value', () => {
    const all = schemasIn(schemas);
    expect(all.filter(({ type }) => Array.isArray(type) || type === 'null')).toEqual([]);
    expect(all.filter((schema) => 'const' in schema || 'prefixItems' in schema)).toEqual([]);
  });

  it('has every object of /openapi.json', () => {
    const { components } = openApiOf('https://push.example.com');
    expect(Object.keys(schemas)).toEqual(Object.keys((components as { readonly schemas: Schemas }).schemas));
  });

  it.each([
    ['text that may be a number', 'RegisterDeviceRequest', 'hwid', { type: 'string' }],
    ['integer that may be text', 'RegisterDeviceRequest', 'device_type', { type: 'integer' }],
    ['optional flag', 'CreateMessageNotification', 'ios_silent', { type: 'boolean', nullable: true }],
    [
      'text or map by language',
      'CreateMessageNotification',
      'content',
      { oneOf: [{ type: 'string' }, { type: 'object' }] },
    ],
  ])('narrows %s', (_, name, field, expected) => {
    expect((schemas[name]!['properties'] as Schemas)[field]).toMatchObject(expected);
  });

  it('describes a success and a refusal as one object', () => {
    const { post } = (document['paths'] as Record<string, Record<string, Schema>>)['/json/1.3/createMessage']!;
    const [reply] = schemasIn((post!['responses'] as Schemas)['200']).filter(({ required }) => required);
    expect(reply).toMatchObject({
      properties: {
        status_code: { type: 'integer' },
        response: { allOf: [{ $ref: '#/components/schemas/CreateMessageResult' }], nullable: true },
      },
      required: ['status_code', 'status_message'],
    });
  });
});
