import { describe, expect, it } from '@jest/globals';
import { type Endpoint, type GrpcEndpoint, type HttpEndpoint, parseEndpoint } from './endpoint.ts';

const grpc = (fields: Partial<GrpcEndpoint>): Endpoint => ({
  kind: 'grpc',
  host: 'events.example',
  port: 80,
  tls: false,
  method: '/WebhookService/StreamWebhookEvents',
  ...fields,
});
const http = (fields: Partial<HttpEndpoint>): Endpoint => ({
  kind: 'http',
  host: 'events.example',
  origin: 'https://events.example',
  path: '/',
  ...fields,
});

const SCHEMES = 'must be an address that begins with grpc://, grpcs://, http://, https:// or kafka://';
const HOST_AND_PORT = 'must be a host and a port, optionally followed by /Service/Method';
const TOPIC = 'must be kafka:// and a topic of at most 149 letters, digits, ".", "_" or "-"';

describe('an endpoint (R-EV1)', () => {
  it.each<[string, Endpoint]>([
    ['', { kind: 'dial-in' }],
    ['grpc://events.example:9000', grpc({ port: 9000 })],
    ['grpc://events.example/', grpc({})],
    ['grpcs://events.example', grpc({ port: 443, tls: true })],
    ['GRPCS://events.example:1', grpc({ port: 1, tls: true })],
    ['grpc://127.0.0.1:7', grpc({ host: '127.0.0.1', port: 7 })],
    ['grpc://[::1]:7', grpc({ host: '::1', port: 7 })],
    ['grpc://events.example/my.own.Hooks/Stream', grpc({ method: '/my.own.Hooks/Stream' })],
    ['https://events.example', http({})],
    ['HTTPS://Events.Example:443/Path?key=Value', http({ path: '/Path?key=Value' })],
    ['http://events.example:8080/a b', http({ origin: 'http://events.example:8080', path: '/a%20b' })],
    ['http://[::1]:7/', http({ host: '::1', origin: 'http://[::1]:7' })],
    ['kafka://Customer_events.v1-a', { kind: 'kafka', topic: 'Customer_events.v1-a' }],
    [`KAFKA://${'t'.repeat(149)}`, { kind: 'kafka', topic: 't'.repeat(149) }],
  ])('may be %s', (text, endpoint) => expect(parseEndpoint(text)).toEqual(endpoint));

  it.each([
    ['events.example:80', SCHEMES],
    ['ftp://events.example', SCHEMES],
    ['grpc://', SCHEMES],
    ['https://', SCHEMES],
    ['grpc://events.example:99999', SCHEMES],
    ['grpc://user@events.example', HOST_AND_PORT],
    ['grpc://events.example?x=1', HOST_AND_PORT],
    ['grpc://events.example/one', HOST_AND_PORT],
    ['grpc://events.example/one/two/three', HOST_AND_PORT],
    ['https://user@events.example', 'must not contain a user name, a password or a fragment'],
    ['https://:word@events.example', 'must not contain a user name, a password or a fragment'],
    ['https://events.example#part', 'must not contain a user name, a password or a fragment'],
    ['kafka://', TOPIC],
    ['kafka://one/two', TOPIC],
    ['kafka://..', TOPIC],
    ['kafka://ümlaut', TOPIC],
    [`kafka://${'t'.repeat(150)}`, TOPIC],
    ['kafka://tidings.outcomes', 'must be a topic of your own'],
    ['kafka://staging.tidings.outcomes', 'must be a topic of your own'],
    ['kafka://__consumer_offsets', 'must be a topic of your own'],
  ])('may not be %j', (text, reason) => expect(() => parseEndpoint(text)).toThrow(`endpoint: ${reason}`));
});
