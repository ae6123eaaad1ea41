import { describe, expect, it } from '@jest/globals';
import { type Endpoint, parseEndpoint } from './endpoint.ts';

const endpoint = (fields: Partial<Endpoint>): Endpoint => ({
  ...{ host: 'events.example', port: 80, tls: false, method: '/WebhookService/StreamWebhookEvents' },
  ...fields,
});

describe('an endpoint (R-EV1)', () => {
  it.each<[string, Partial<Endpoint>]>([
    ['grpc://events.example:9000', { port: 9000 }],
    ['grpc://events.example/', {}],
    ['grpcs://events.example', { port: 443, tls: true }],
    ['GRPCS://events.example:1', { port: 1, tls: true }],
    ['grpc://127.0.0.1:7', { host: '127.0.0.1', port: 7 }],
    ['grpc://[::1]:7', { host: '::1', port: 7 }],
    ['grpc://events.example/my.own.Hooks/Stream', { method: '/my.own.Hooks/Stream' }],
  ])('may be %s', (text, fields) => expect(parseEndpoint(text)).toEqual(endpoint(fields)));

  it.each([
    '',
    'events.example:80',
    'http://events.example',
    'grpc://',
    'grpc://user@events.example',
    'grpc://events.example?x=1',
    'grpc://events.example/one',
    'grpc://events.example/one/two/three',
    'grpc://events.example:99999',
  ])('may not be %j', (text) => expect(() => parseEndpoint(text)).toThrow(/^endpoint: must be /));
});
