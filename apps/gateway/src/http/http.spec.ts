import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { api, BODY_LIMIT_BYTES, type Method } from '@tidings/contract';
import { until } from '@tidings/testing';
import { type Client, openClient } from '../testing/gateway-client.ts';
import { APPLICATION, World } from '../testing/gateway-world.ts';

const device = { authorization: 'Token device' };
const register = { application: APPLICATION, hwid: 'phone-1', device_type: 3 };
const malformed = { status_message: 'Malformed request string', response: null };

const world = new World();
let client: Client;
beforeAll(async () => {
  client = await openClient(world);
});
afterAll(() => client.close());

describe('bodies (R-ER1)', () => {
  const body = JSON.stringify({ request: register });

  it.each(['application/json', 'text/plain;charset=UTF-8', 'application/x-www-form-urlencoded', 'nonsense', undefined])(
    'are JSON whatever the Content-Type: %s',
    async (type) => {
      const headers = type === undefined ? device : { ...device, 'content-type': type };
      expect(await client.send('POST', '/json/1.3/registerDevice', body, headers)).toMatchObject({
        status: 200,
        body: { status_code: 200, status_message: 'OK', response: null },
        headers: { 'content-type': 'application/json; charset=utf-8' },
      });
    },
  );

  it.each([
    ['empty', ''],
    ['not JSON', '{"request":'],
    ['a list', '[]'],
    ['a text', '"request"'],
    ['without request', '{"hwid":"x"}'],
    ['with a request that is a list', '{"request":[]}'],
    ['with a request that is null', '{"request":null}'],
    ['nested over 64', `{"request":${'{"a":'.repeat(63)}1${'}'.repeat(63)}}`.replace('1', '{}')],
    ['not UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
    ['with a byte order mark', '\ufeff{"request":{}}'],
  ])('are refused with 400: %s', async (_what, payload) => {
    const answer = await client.send('POST', '/json/1.3/registerDevice', payload, device);
    expect(answer).toMatchObject({ status: 400, body: malformed });
  });

  it('may be nested 64 deep', async () => {
    const tags = `{"request":{"application":"${APPLICATION}","hwid":"x","device_type":3,"tags":${'{"a":'.repeat(61)}{}${'}'.repeat(61)}}}`;
    expect(await client.send('POST', '/json/1.3/registerDevice', tags, device)).toMatchObject({ status: 200 });
  });

  it('use the last of duplicate keys, and ignore unknown fields', async () => {
    const twice = `{"x":1,"request":{"application":"x","application":"${APPLICATION}","hwid":"x","device_type":3,"y":[]}}`;
    expect(await client.send('POST', '/json/1.3/registerDevice', twice, device)).toMatchObject({ status: 200 });
  });

  it('may have 10 MiB and not a byte more (R-LM1)', async () => {
    const full = Buffer.alloc(BODY_LIMIT_BYTES, ' ');
    full.write(body);
    expect(await client.send('POST', '/json/1.3/registerDevice', full, device)).toMatchObject({ status: 200 });
    const over = Buffer.concat([full, Buffer.from(' ')]);
    expect(await client.send('POST', '/json/1.3/registerDevice', over, device)).toMatchObject({
      status: 413,
      body: { status_code: 413, status_message: 'Request is too large', response: null },
    });
    expect(await client.send('POST', '/api/v2/messages:list', over)).toMatchObject({
      status: 413,
      body: { code: 3, message: 'Request is too large', details: [] },
    });
  });
});

describe('the gateway (R-ER4 to R-ER6, R-V1)', () => {
  const unknownMethod = { status_code: 404, status_message: 'Method not found', response: null };
  const notFound = { code: 5, message: 'Not Found', details: [] };
  const notAllowed = { status_code: 405, status_message: 'Method not allowed', response: null };

  it.each([
    ['POST', '/json/1.3/registerdevice', 404, unknownMethod],
    ['POST', '/json/1.3/DeleteDevice', 404, unknownMethod],
    ['GET', '/json/1.3/nothing', 404, unknownMethod],
    ['POST', '/json/1.4/registerDevice', 404, unknownMethod],
    ['POST', '/json/1.3/', 404, unknownMethod],
    ['GET', '/json/1.3', 404, unknownMethod],
    ['POST', '/json/1.4/', 404, unknownMethod],
    ['POST', '/json', 404, notFound],
    ['POST', '/jsonp/1.3/x', 404, notFound],
    ['POST', '/json/1.3/registerDevice//', 404, unknownMethod],
    ['POST', `/json/1.3/${'x'.repeat(2000)}`, 404, unknownMethod],
    ['POST', '/json/1.3/toString', 404, unknownMethod],
    ['POST', '/', 404, notFound],
    ['POST', '/api/v2/nothing', 404, notFound],
    ['POST', '/messaging/v2/nothing', 404, notFound],
    ['GET', '/%zz', 404, notFound],
    ['POST', '/api/v2/audience/nothing', 404, { message: 'Not Found' }],
    ['GET', '/admin/v1/nothing', 404, { error: { kind: 'notFound', message: 'Not Found' } }],
    ['GET', '/json/1.3/registerDevice', 405, notAllowed],
    ['PROPFIND', '/json/1.3/registerDevice', 405, notAllowed],
    ['GET', '/api/v2/messages:list', 405, { code: 12, message: 'Method not allowed', details: [] }],
    ['PUT', '/admin/v1/tokens', 405, { error: { kind: 'argument', message: 'Method not allowed' } }],
  ])('answers %s %s with %s', async (verb, path, status, body) => {
    const answer = await client.send(verb, path, 'not even read');
    expect(answer).toMatchObject({ status, body, headers: { 'content-type': 'application/json; charset=utf-8' } });
  });

  it('names the allowed verbs', async () => {
    expect((await client.send('GET', '/json/1.3/registerDevice')).headers).toMatchObject({ allow: 'POST' });
    expect((await client.send('PUT', '/admin/v1/tokens')).headers).toMatchObject({ allow: 'POST, GET' });
  });

  it.each(['/json/1.3/registerDevice/', '/json/1.3/registerDevice?x=1'])('serves %s', async (path) => {
    expect(await client.send('POST', path, JSON.stringify({ request: register }), device)).toMatchObject({
      status: 200,
    });
  });

  it.each(['http://push.example/json/1.3/registerDevice', 'HTTPS://push.example:80/json/1.3/registerDevice?x=1'])(
    'serves the absolute URL of a proxied request, %s',
    async (path) => {
      const body = JSON.stringify({ request: register });
      expect(await client.send('POST', path, body, device)).toMatchObject({ status: 200 });
    },
  );

  it('accepts an escaped colon', async () => {
    expect(await client.send('POST', '/api/v2/messages%3Alist', '{}')).toMatchObject({ status: 401 });
  });

  it('refuses in the order of path, size, token in the header, body, token in the body', async () => {
    const over = Buffer.alloc(BODY_LIMIT_BYTES + 1, ' ');
    expect(await client.send('POST', '/json/1.3/nothing', over)).toMatchObject({ status: 404 });
    expect(await client.send('POST', '/json/1.3/registerDevice', over)).toMatchObject({ status: 413 });
    expect(await client.send('POST', '/json/1.3/registerDevice', '{')).toMatchObject({ status: 403 });
    expect(await client.send('POST', '/json/1.3/registerDevice', '{', device)).toMatchObject({ status: 400 });
    expect(await client.send('POST', '/json/1.3/createMessage', '{')).toMatchObject({ status: 400, body: malformed });
  });

  const inHeader = Object.values<Method>(api).filter(
    ({ scope, verb }) => ['device', 'server', 'admin'].includes(scope) && verb !== 'GET' && verb !== 'DELETE',
  );
  it.each(inHeader.map((method) => [method.name, method] as const))(
    'refuses a wrong token in the header of %s without reading its body',
    async (_name, { verb, path, family, unauthorized }) => {
      // Wrong administrator tokens within a minute are throttled (R-LM8).
      world.clock.advanceTo(world.clock.aheadMs + 60_000);
      const { hostname: host, port } = client.url;
      const headers = { authorization: 'Token wrong', 'content-length': BODY_LIMIT_BYTES };
      const sent = request({ host, port, method: verb, path: path.replace(/\{\w+\}/g, 'x'), headers });
      sent.flushHeaders();
      const [{ statusCode }] = (await once(sent, 'response')) as [IncomingMessage];
      sent.on('error', () => undefined).destroy();
      expect(statusCode).toBe(unauthorized || ['apiV2', 'notify', 'admin'].includes(family) ? 401 : 403);
    },
  );
});

describe('replies to other origins (R-ER6)', () => {
  const origin = 'https://shop.example';

  it('have the CORS headers of a preflight on every path', async () => {
    const answer = await client.send('OPTIONS', '/anywhere', undefined, {
      origin,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization, x-request-id',
    });
    expect(answer).toMatchObject({
      status: 204,
      body: undefined,
      headers: {
        'access-control-allow-origin': origin,
        'access-control-allow-credentials': 'true',
        'access-control-allow-methods': 'GET, POST, OPTIONS',
        'access-control-allow-headers': 'Authorization, Content-Type, x-request-id',
        'access-control-max-age': '86400',
        vary: 'Origin',
      },
    });
  });

  it.each(['/json/1.3/registerDevice', '/json/1.3/nothing'])('may be read for %s, errors too', async (path) => {
    const { headers } = await client.send('POST', path, '{}', { origin });
    expect(headers).toMatchObject({
      'access-control-allow-origin': origin,
      'access-control-allow-credentials': 'true',
    });
  });

  it('have no CORS headers for a request without an origin', async () => {
    const { headers } = await client.json13('registerDevice', register, device);
    expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
  });
});

describe('JSON replies', () => {
  it.each([
    ['POST', '/json/1.3/registerDevice', JSON.stringify({ request: { ...register, hwid: 'Ä' } })],
    ['POST', '/json/1.3/registerDevice', '{'],
    ['POST', '/api/v2/messages:list', '{}'],
    ['POST', '/api/v2/audience/nothing', '{}'],
    ['GET', '/admin/v1/tokens', undefined],
    ['GET', '/nothing', undefined],
  ])('are a line with its Content-Length, for %s %s %s', async (method, path, body) => {
    const reply = await fetch(new URL(path, client.url), {
      method,
      headers: device,
      ...(body !== undefined && { body }),
    });
    const text = await reply.text();
    expect(text.replace(JSON.stringify(JSON.parse(text)), '')).toBe('\n');
    expect(reply.headers.get('content-length')).toBe(String(Buffer.byteLength(text)));
  });
});

describe('public files and links', () => {
  // Making the first page may exceed the deadline of a request on a busy machine.
  beforeAll(() => until(async () => (await client.send('GET', '/docs')).status === 200));

  it.each([
    ['/s/abcdefgh', 302, {}],
    ['/s/unknown0', 404, {}],
    ['/icons/known.png', 200, { 'content-length': '2' }],
    ['/docs', 200, { 'content-type': 'text/html; charset=utf-8' }],
    ['/openapi.json', 200, {}],
    ['/json/1.3/registerDevice', 405, { allow: 'POST' }],
  ])('answer HEAD %s with the headers alone: %s', async (path, status, headers) => {
    expect(await client.send('HEAD', path)).toMatchObject({ status, body: undefined, headers });
  });

  it('redirect by a short link, and answer 404 for an unknown one (R-I19)', async () => {
    expect(await client.send('GET', '/s/abcdefgh')).toMatchObject({
      status: 302,
      headers: { location: 'https://example.com/17' },
    });
    expect(await client.send('GET', '/s/unknown0')).toMatchObject({ status: 404, body: { code: 5 } });
  });

  it('include icons by the hash of their bytes (R-B1)', async () => {
    const reply = await client.send('GET', '/icons/known.png');
    expect(reply).toMatchObject({ status: 200, headers: { 'content-type': 'image/png', 'content-length': '2' } });
    expect(await client.send('GET', '/icons/other.png')).toMatchObject({ status: 404, body: { code: 5 } });
  });
});
