import { once } from 'node:events';
import { type IncomingHttpHeaders, type IncomingMessage, request as httpRequest } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { api, conformanceCases, type Method } from '@tidings/contract';
import { platformInProcesses, type LoggingWorld } from '@tidings/testing';
import { ApiClient } from '../client/api-client.ts';

/** Secrets of ours begin with this, so that a search for it finds every place that one leaked to. */
const CANARY = 'c4n4ry';
/** What the contract's examples call their application. */
const EXAMPLE = 'A1B2C-3D4E5';
const FORBID = 'Token restrictions forbid this operation';
const DENIED = 'Access denied or application not found';
const BODY_LIMIT = 10 * 1024 * 1024;

interface Sent {
  readonly verb?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly json: unknown;
}

let world: LoggingWorld;
let application: string;
/** Another one of the same account. */
let sibling: string;
/** Every token and key that this suite knows; none may be seen anywhere. */
const secrets = new Map<string, string>();
/** The text of everything that was answered to a request that failed. */
const failures: string[] = [];

beforeAll(async () => {
  world = await platformInProcesses({ env: { LOG_LEVEL: 'trace' } });
  application = await world.application();
  sibling = await world.application({ title: 'Sibling', ios: false, android: false });
  await world.call('addTag', { tag: { name: 'Level', type: 1 } });
  await world.call('registerDevice', { application, hwid: 'phone-1', device_type: 3, tags: { Level: 5 } });
  const { admin, api: ofServers, device } = world.secrets;
  secrets.set('administrator token', admin).set('API token', ofServers).set('device token', device);
});
afterAll(() => world?.stop());

/** Sends exactly what it is told, and holds every reply against what all of them have to keep: JSON, no page, no trace, no new home. */
async function send(path: string, { verb = 'POST', headers = {}, body }: Sent = {}): Promise<Reply> {
  const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
  const outgoing = httpRequest(new URL(path, world.url), { method: verb, headers: { ...length, ...headers } });
  outgoing.end(body);
  const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage];
  const content = await text(incoming);
  const status = incoming.statusCode!;
  const what = `${verb} ${path} ${String(body).slice(0, 200)} -> ${status} ${content.slice(0, 300)}`;
  if (status >= 400 || content.includes('"status_code":210')) failures.push(content);
  if (content === '') return { status, headers: incoming.headers, text: content, json: undefined };
  expect([what, incoming.headers['content-type']]).toEqual([what, 'application/json; charset=utf-8']);
  expect(content).not.toMatch(/<!doctype|<html|\bat \S+ \(|node_modules|\.[jt]s:\d+/i);
  const json = JSON.parse(content) as unknown;
  expect(json).not.toHaveProperty('base_url');
  return { status, headers: incoming.headers, text: content, json };
}

const api13 = (method: string, request: unknown, headers: Sent['headers'] = {}): Promise<Reply> =>
  send(`/json/1.3/${method}`, { headers, body: JSON.stringify({ request }) });
/** A method-style method, wherever it is served. */
const asked = ({ path, body }: Method, request: unknown, headers: Sent['headers'] = {}): Promise<Reply> =>
  send(path, { headers, body: JSON.stringify(body === 'bare' ? request : { request }) });
const asDevice = (): Readonly<Record<string, string>> => ({ authorization: `Token ${world.secrets.device}` });
const asServer = (): Readonly<Record<string, string>> => ({ authorization: `Api ${world.secrets.api}` });
const asAdmin = (): Readonly<Record<string, string>> => ({ authorization: `Bearer ${world.secrets.admin}` });
const v2 = (route: string, body: unknown, headers: Sent['headers'] = asServer()): Promise<Reply> =>
  send(`/api/v2/${route}`, { headers, body: JSON.stringify(body) });

const ok = { status: 200, json: { status_code: 200, status_message: 'OK' } };
const refused = (status_message: string, response: unknown = null) => ({
  status: 200,
  json: { status_code: 210, status_message, response },
});
const bare = (status: number, status_message: string) => ({ status, json: { status_message, response: null } });
const full = (status: number, status_message: string) => ({
  status,
  json: { status_code: status, status_message, response: null },
});
const gateway = (status: number, code: number, message: string) => ({ status, json: { code, message, details: [] } });
const malformed = bare(400, 'Malformed request string');

const only = ({ status, json }: Reply) => ({ status, json });

const messagesOf = async (code = application): Promise<number> =>
  (await world.call('messagesList', { filters: { application: code } })).total;

describe('bodies (R-ER1, R-LM1)', () => {
  const valid = () => ({ request: { application, hwid: 'phone-1', tags: { Level: 6 } } });

  it.each([
    'application/json',
    'text/plain;charset=UTF-8',
    'application/x-www-form-urlencoded',
    'text/html',
    undefined,
  ])('are JSON whatever the Content-Type says: %s', async (type) => {
    const headers = { ...asDevice(), ...(type === undefined ? {} : { 'content-type': type }) };
    expect(await send('/json/1.3/setTags', { headers, body: JSON.stringify(valid()) })).toMatchObject(ok);
  });

  const deep = (levels: number): string => `{"request":${'{"a":'.repeat(levels - 2)}{}${'}'.repeat(levels - 2)}}`;

  it.each<[string, string | Uint8Array]>([
    ['nothing', ''],
    ['half of it', '{"request":{"hwid":'],
    ['a list', '[{"request":{}}]'],
    ['null', 'null'],
    ['a number', '17'],
    ['no request', '{"hwid":"phone-1"}'],
    ['a request that is null', '{"request":null}'],
    ['a request that is a list', '{"request":[]}'],
    ['a request that is a text', '{"request":"{}"}'],
    ['a form', 'request=%7B%7D'],
    ['Latin-1', Buffer.from('{"request":{"hwid":"M\xfcnchen"}}', 'latin1')],
    ['half a character', Buffer.from('{"request":{"hwid":"\u20ac"}}').subarray(0, 22)],
    ['65 levels', deep(65)],
    ['thousands of levels', `{"request":${'['.repeat(100_000)}`],
  ])('that hold %s are malformed', async (_what, body) => {
    expect(only(await send('/json/1.3/setTags', { headers: asDevice(), body }))).toEqual(malformed);
  });

  it('may have 64 levels', async () => {
    expect(only(await send('/json/1.3/setTags', { headers: asDevice(), body: deep(64) }))).toEqual(
      bare(400, 'Missing required argument: application'),
    );
  });

  it('count the last of equal keys, and ignore those that nobody knows', async () => {
    const body = `{"more":[],"request":{"application":"x","application":"${application}","hwid":"phone-1","tags":{},"x":{}}}`;
    expect(await send('/json/1.3/setTags', { headers: asDevice(), body })).toMatchObject(ok);
  });

  it('take nulls for absent and loose scalars as they are meant', async () => {
    const hwid = 'loose';
    const register = {
      application,
      hwid,
      device_type: '3',
      language: null,
      timezone: null,
      push_token: null,
      userId: 17,
    };
    expect(await api13('registerDevice', register, asDevice())).toMatchObject(ok);
    expect(
      await api13('registerDevice', { ...register, timezone: '3600', language: 'DE-at' }, asDevice()),
    ).toMatchObject(ok);
    expect(await api13('getTags', { application, hwid: null, userId: '17' }, asDevice())).toMatchObject({
      json: { response: { result: { Language: 'de', Timezone: 3600 } } },
    });
    expect(only(await api13('registerDevice', { ...register, device_type: true }, asDevice()))).toEqual(
      refused('device_type: must be an integer'),
    );
    expect(only(await api13('registerDevice', { ...register, device_type: 3.5 }, asDevice()))).toEqual(
      refused('device_type: must be an integer'),
    );
    expect(only(await api13('registerDevice', { ...register, hwid: true }, asDevice()))).toEqual(
      refused('hwid: must be a string'),
    );
  });

  it('may have 10 MiB and not a byte more', async () => {
    const text = JSON.stringify(valid());
    const exact = text + ' '.repeat(BODY_LIMIT - text.length);
    expect(await send('/json/1.3/setTags', { headers: asDevice(), body: exact })).toMatchObject(ok);
    const more = `${exact} `;
    const tooLarge = 'Request is too large';
    expect(only(await send('/json/1.3/setTags', { headers: asDevice(), body: more }))).toEqual(full(413, tooLarge));
    expect(only(await send('/api/v2/messages:list', { headers: asServer(), body: more }))).toEqual(
      gateway(413, 3, tooLarge),
    );
    expect(only(await send('/admin/v1/tokens', { headers: asAdmin(), body: more }))).toEqual({
      status: 413,
      json: { error: { kind: 'tooLarge', message: tooLarge } },
    });
  });

  it('of the other families are judged in their words', async () => {
    for (const body of ['', '[]', '{', 'null']) {
      expect(only(await send('/api/v2/messages:list', { headers: asServer(), body }))).toEqual(
        gateway(400, 3, 'Malformed request string'),
      );
    }
    expect(only(await send('/admin/v1/tokens', { headers: asAdmin(), body: '[]' }))).toEqual({
      status: 400,
      json: { error: { kind: 'malformed', message: 'Malformed request string' } },
    });
  });
});

describe('paths and verbs (R-ER4 to R-ER6, R-V1)', () => {
  const notFound = full(404, 'Method not found');

  it.each([
    '/json/1.3/noSuchMethod',
    '/json/1.3/createmessage',
    '/json/1.4/createMessage',
    '/json/1.3/createMessage/x',
  ])('has no method %s', async (path) => {
    for (const verb of ['GET', 'POST', 'DELETE']) expect(only(await send(path, { verb }))).toEqual(notFound);
  });

  it.each([
    '/',
    '/favicon.ico',
    '/index.html',
    '/api/v2/nothing',
    '/%',
    '/%00',
    '/..%2f..%2fetc/passwd',
    '/s/',
    '/s/x/y',
  ])('has nothing at %s', async (path) => {
    expect(only(await send(path, { verb: 'GET' }))).toEqual(gateway(404, 5, 'Not Found'));
  });

  it('has nothing behind unknown links, audience and administrator paths', async () => {
    expect(only(await send('/s/nothing1', { verb: 'GET' }))).toEqual(gateway(404, 5, 'Not Found'));
    expect(only(await send('/api/v2/audience/nothing'))).toEqual({ status: 404, json: { message: 'Not Found' } });
    expect((await send('/admin/v1/nothing', { headers: asAdmin() })).status).toBe(404);
  });

  it('ignores one trailing slash and a query', async () => {
    const body = JSON.stringify({ request: { auth: world.secrets.api } });
    expect(await send('/json/1.3/listTags/?x=1', { body })).toMatchObject(ok);
    expect(only(await send('/json/1.3/listTags//', { body }))).toEqual(notFound);
  });

  it.each(['GET', 'PUT', 'PATCH', 'DELETE'])('does not take %s where POST is meant', async (verb) => {
    const method = await send('/json/1.3/createMessage', { verb });
    expect([only(method), method.headers.allow]).toEqual([full(405, 'Method not allowed'), 'POST']);
    const list = await send('/api/v2/messages:list', { verb });
    expect([only(list), list.headers.allow]).toEqual([gateway(405, 12, 'Method not allowed'), 'POST']);
  });

  it('names every verb of a path that has several, and answers HEAD without a body', async () => {
    const tokens = await send('/admin/v1/tokens', { verb: 'PUT', headers: asAdmin() });
    expect(tokens.status).toBe(405);
    expect(new Set(tokens.headers.allow?.split(', '))).toEqual(new Set(['GET', 'POST']));
    expect(await send('/json/1.3/createMessage', { verb: 'HEAD' })).toMatchObject({ status: 405, text: '' });
  });

  it('answers browsers of any origin', async () => {
    const origin = 'https://shop.example.com';
    const asked = {
      origin,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'X-Own, authorization',
    };
    for (const path of ['/json/1.3/registerDevice', '/api/v2/messages:list', '/nowhere']) {
      const preflight = await send(path, { verb: 'OPTIONS', headers: asked });
      expect(preflight).toMatchObject({
        status: 204,
        text: '',
        headers: {
          'access-control-allow-origin': origin,
          'access-control-allow-credentials': 'true',
          'access-control-allow-methods': 'GET, POST, OPTIONS',
          'access-control-max-age': '86400',
          vary: 'Origin',
        },
      });
      const allowed = preflight.headers['access-control-allow-headers']?.split(', ');
      expect(allowed).toEqual(['Authorization', 'Content-Type', 'X-Own']);
    }
    const headers = { 'access-control-allow-origin': origin, 'access-control-allow-credentials': 'true' };
    expect(await api13('setTags', {}, { origin })).toMatchObject({ status: 403, headers });
    expect(await api13('setTags', { application, hwid: 'phone-1', tags: {} }, { ...asDevice(), origin })).toMatchObject(
      {
        ...ok,
        headers,
      },
    );
    expect((await api13('setTags', {})).headers).not.toHaveProperty('access-control-allow-origin');
  });
});

describe('tokens (R-T1 to R-T7)', () => {
  const garbage = `${CANARY}-garbage-token`;
  let foreign: { api: string; device: string; application: string };
  let restricted: { id: string; token: string };

  beforeAll(async () => {
    const { account } = await world.call('createAccount', { name: 'Foreign' });
    const [apiToken, deviceToken] = await Promise.all(
      (['api', 'device'] as const).map((scope) => world.call('createToken', { scope, applications: 'all', account })),
    );
    const client = new ApiClient(world.url, { api: apiToken!.token });
    const created = await client.call('createApplication', { title: 'Foreign' });
    client.close();
    foreign = { api: apiToken!.token, device: deviceToken!.token, application: created.application };
    restricted = await world.call('createToken', { scope: 'server', applications: [application] });
    secrets
      .set('foreign API token', foreign.api)
      .set('foreign device token', foreign.device)
      .set('restricted token', restricted.token);
  });

  const served = Object.values<Method>(api);
  const methodStyle = served.filter(({ family, scope }) => family === 'json13' && scope === 'api');
  const deviceMethods = served.filter(({ scope }) => scope === 'device');
  const serverMethods = served.filter(({ scope }) => scope === 'server');
  const byName = (methods: readonly Method[]) => methods.map((method) => [method.name, method] as const);
  /** The example of a method, about an application. */
  const exampleOf = (method: Method, about: string): Record<string, unknown> => {
    const { auth: _auth, ...example } = JSON.parse(
      JSON.stringify(method.examples[0]!.request).replaceAll(new RegExp(EXAMPLE, 'gi'), about),
    ) as Record<string, unknown>;
    return example;
  };

  it.each(byName(methodStyle))('%s wants a valid API token', async (_name, method) => {
    const example = exampleOf(method, application);
    expect(only(await asked(method, example))).toEqual(bare(400, 'Missing required argument: auth'));
    for (const auth of [
      garbage,
      '',
      17,
      true,
      {},
      [world.secrets.api],
      world.secrets.device,
      world.secrets.admin,
      ' '.repeat(9999),
    ]) {
      expect(only(await asked(method, { ...example, auth }))).toEqual(full(403, FORBID));
    }
    // A token in the header does not stand in for one in the body that is wrong.
    expect(only(await asked(method, { ...example, auth: garbage }, asServer()))).toEqual(full(403, FORBID));
  });

  it.each(byName(deviceMethods))('%s wants a valid device token', async (_name, method) => {
    const example = exampleOf(method, application);
    const invalid = method.unauthorized ? bare(401, 'Missing or invalid token') : full(403, FORBID);
    expect(only(await asked(method, example))).toEqual(invalid);
    expect(only(await asked(method, { ...example, auth: world.secrets.device }))).toEqual(invalid);
    for (const secret of [garbage, '', world.secrets.api, world.secrets.admin, '\t']) {
      const headers = { authorization: `Token ${secret}` };
      expect(only(await asked(method, example, headers))).toEqual(invalid);
    }
  });

  it.each(byName(serverMethods))('%s wants a valid API token in the header', async (name, method) => {
    const example = exampleOf(method, application);
    for (const secret of [undefined, garbage, world.secrets.device, world.secrets.admin]) {
      const headers: Sent['headers'] = secret === undefined ? {} : { authorization: `Api ${secret}` };
      const reply = await v2(name, { ...example, auth: world.secrets.api }, headers);
      expect(reply).toMatchObject({ status: 401, json: { code: 16, details: [] } });
    }
  });

  it('operators have a token of their own', async () => {
    for (const secret of [garbage, '', world.secrets.api, world.secrets.device]) {
      const headers = { authorization: `Bearer ${secret}` };
      const reply = await send('/admin/v1/tokens', { verb: 'GET', headers });
      expect(reply).toMatchObject({ status: 401, json: { error: { kind: 'unauthorized' } } });
    }
  });

  it('any scheme word serves, and none', async () => {
    for (const scheme of ['Token ', 'api ', 'KEY ', 'Bearer ', '']) {
      const headers = { authorization: `${scheme}${world.secrets.device}` };
      expect(await api13('getTags', { application, hwid: 'phone-1' }, headers)).toMatchObject(ok);
    }
    expect(await api13('listTags', {}, asServer())).toMatchObject(ok);
  });

  it.each(
    byName(
      served.filter((method) => method.scope !== 'none' && method.application(exampleOf(method, 'x')) !== undefined),
    ),
  )('%s tells an application of another account from none in no way', async (_name, method) => {
    const ask = (about: string, kind: 'ours' | 'theirs'): Promise<Reply> => {
      const tokens = kind === 'ours' ? world.secrets : foreign;
      const example = exampleOf(method, about);
      if (method.scope === 'api') return asked(method, { auth: tokens.api, ...example });
      if (method.scope === 'device') return asked(method, example, { authorization: `Token ${tokens.device}` });
      return asked(method, example, { authorization: `Api ${tokens.api}` });
    };
    const denied = {
      apiV2: gateway(403, 7, DENIED),
      notify: gateway(403, 7, DENIED),
      audience: { status: 403, json: { message: DENIED } },
      json13: refused(DENIED, method.messagesOn210 ? { Messages: [] } : null),
      admin: undefined,
    }[method.family];
    expect(only(await ask(foreign.application, 'ours'))).toEqual(denied);
    expect(only(await ask('FFFFF-FFFFF', 'ours'))).toEqual(denied);
    expect(only(await ask('no code at all', 'ours'))).toEqual(denied);
    expect(only(await ask(application, 'theirs'))).toEqual(denied);
  });

  it('a restricted token keeps to its applications', async () => {
    const auth = restricted.token;
    const headers = { authorization: `Api ${auth}` };
    expect(await api13('getApplication', { auth, application })).toMatchObject(ok);
    expect(only(await api13('getApplication', { auth, application: sibling }))).toEqual(full(403, FORBID));
    const message = { application: sibling, notifications: [{ content: 'x' }] };
    expect(only(await api13('createMessage', { auth, ...message }))).toEqual(full(403, FORBID));
    expect(only(await v2('messages:list', { filters: { application: sibling } }, headers))).toEqual(
      gateway(403, 7, FORBID),
    );
    expect(await messagesOf(sibling)).toBe(0);
  });

  it('a restricted token may use what it creates, and what is open to all', async () => {
    const auth = restricted.token;
    const own = await api13('createApplication', { auth, title: 'Own' });
    const { application: code } = (own.json as { response: { application: string } }).response;
    expect(await api13('getApplication', { auth, application: code })).toMatchObject(ok);
    const open = await world.call('createApplication', { title: 'Open', authorize_all_tokens: true });
    expect(await api13('getApplication', { auth, application: open.application })).toMatchObject(ok);
    expect(only(await api13('getApplication', { auth: foreign.api, application: open.application }))).toEqual(
      refused(DENIED),
    );
  });

  it('the message of an application that is foreign or not granted is not found', async () => {
    const { Messages: messages } = await world.call('createMessage', {
      application: sibling,
      notifications: [{ content: 'x' }],
    });
    const route = 'statistics/messages/getDeliveryFunnel';
    const missing = gateway(404, 5, 'message not found');
    for (const secret of [restricted.token, foreign.api]) {
      expect(only(await v2(route, { message_code: messages[0] }, { authorization: `Api ${secret}` }))).toEqual(missing);
    }
    expect(only(await v2(route, { message_code: 'FFFF-FFFFFFFF-FFFFFFFF' }))).toEqual(missing);
    expect(only(await v2(route, { message_code: 'nonsense' }))).toEqual(missing);
    expect((await v2(route, { message_code: messages[0]!.toLowerCase() })).status).toBe(200);
  });

  it('a revoked token is refused within 5 seconds, and its successor serves', async () => {
    const [old, next] = await Promise.all(
      [1, 2].map(() => world.call('createToken', { scope: 'api', applications: 'all' })),
    );
    const ask = (auth: string): Promise<Reply> => api13('listTags', { auth });
    expect([await ask(old!.token), await ask(next!.token)]).toMatchObject([ok, ok]);
    await world.call('deleteToken', { id: old!.id });
    const deadline = Date.now() + 5000;
    while ((await ask(old!.token)).status === 200 && Date.now() < deadline) await delay(50);
    expect(only(await ask(old!.token))).toEqual(full(403, FORBID));
    expect(await ask(next!.token)).toMatchObject(ok);
    expect((await send(`/admin/v1/tokens/${old!.id}`, { verb: 'DELETE', headers: asAdmin() })).status).toBe(404);
    const { tokens } = await world.call('listTokens');
    expect(tokens.map(({ id }) => id)).toEqual(expect.arrayContaining([next!.id, restricted.id]));
    expect(tokens.map(({ id }) => id)).not.toContain(old!.id);
    secrets.set('revoked token', old!.token).set('new token', next!.token);
  });
});

describe('every method of the contract', () => {
  /** What may be deleted. */
  let doomed: string;
  beforeAll(async () => {
    doomed = await world.application({ title: 'Doomed', ios: false, android: false });
  });

  /** A request of the contract's, about an application of ours. */
  const ours = ({ name }: Method, request: unknown): Record<string, unknown> => {
    const about = name === api.deleteApplication.name ? doomed : application;
    return JSON.parse(JSON.stringify(request).replaceAll(new RegExp(EXAMPLE, 'gi'), about)) as Record<string, unknown>;
  };

  const ask = (method: Method, request: unknown): Promise<Reply> => {
    const fields = ours(method, request);
    switch (method.scope) {
      case 'api':
        return asked(method, { ...fields, auth: world.secrets.api });
      case 'device':
        return asked(method, fields, asDevice());
      case 'server':
      case 'optional':
        return asked(method, fields, asServer());
      case 'none':
        return asked(method, fields);
      default:
        return send(method.path, { verb: method.verb, headers: asAdmin(), body: JSON.stringify(fields) });
    }
  };

  const walked = Object.entries<Method>(api).filter(([, { verb, path }]) => verb === 'POST' && !path.includes('{'));

  const cases = walked.flatMap(([, method]) =>
    conformanceCases(method)
      // Tokens are given in their own way here.
      .filter(({ title }) => !title.startsWith('auth'))
      .map((one) => [`${method.name}: ${one.title}`, method, one] as const),
  );

  it.each(cases)('%s', async (_title, method, { request, expected }) => {
    const reply = await ask(method, request);
    const { status, json } = reply;
    if (expected === 'accepted') {
      // The examples speak of things that need not be here; what counts is that nothing is wrong with the request.
      const isAbsent = /unknown application|filterCode: not found/.test(reply.text);
      expect(isAbsent ? [400] : [200, 201, 404]).toContain(status);
      expect(reply.text).not.toMatch(/must |Missing required|is required/);
      return;
    }
    const text = expected.text ?? expected.field!;
    switch (method.family) {
      case 'json13':
        expect(json).toMatchObject({ status_message: expect.stringContaining(text) });
        if (expected.kind === 'malformed') expect(only(reply)).toEqual(bare(400, expected.text!));
        else
          expect(only(reply)).toEqual(
            refused(
              (json as { status_message: string }).status_message,
              method.messagesOn210 ? { Messages: [] } : null,
            ),
          );
        break;
      case 'apiV2':
        expect(only(reply)).toEqual(gateway(400, 3, (json as { message: string }).message));
        expect((json as { message: string }).message).toContain(text);
        break;
      case 'audience':
        expect(reply).toMatchObject({ status: 400, json: { message: expect.stringContaining(text) as unknown } });
        break;
      default:
        expect(reply).toMatchObject({
          status: 400,
          json: { error: { message: expect.stringContaining(text) } },
        });
    }
  });

  /** Values that no test of a single field thinks of. */
  const odd: readonly unknown[] = [
    [],
    {},
    [[]],
    [null],
    [{}],
    true,
    '',
    ' ',
    0,
    -1,
    1.5,
    1e308,
    9_007_199_254_740_993,
    '1e999',
    '\u0000',
    '\ud800',
    'ä'.repeat(300),
    'x'.repeat(70_000),
    { '': '' },
    { constructor: 1, toString: 2 },
    JSON.parse('{"__proto__":{"x":1}}'),
    { $gt: '' },
    '{{',
    '{{a|b|',
    '$where',
  ];

  const paths = (value: unknown, at: readonly (string | number)[] = []): (readonly (string | number)[])[] => {
    if (typeof value !== 'object' || value === null) return at.length > 0 ? [at] : [];
    const inner = Object.entries(value).flatMap(([key, member]) =>
      paths(member, [...at, Array.isArray(value) ? Number(key) : key]),
    );
    return at.length > 0 ? [at, ...inner] : inner;
  };

  const withValue = (request: unknown, path: readonly (string | number)[], value: unknown): unknown => {
    const [key, ...rest] = path;
    if (key === undefined) return value;
    const copy = (Array.isArray(request) ? [...(request as unknown[])] : { ...(request as object) }) as Record<
      string | number,
      unknown
    >;
    copy[key] = withValue(copy[key], rest, value);
    return copy;
  };

  it.each(walked)('%s answers whatever it is given, and never with a fault of its own', async (_name, method) => {
    // The clock has to stay near that of the providers.
    if (method.name === 'advanceClock') return;
    const wrong: unknown[] = [];
    for (const { request } of method.examples) {
      for (const path of paths(request).filter(([first]) => first !== 'auth')) {
        const replies = await Promise.all(
          odd.map(async (value) => ({
            path,
            value,
            reply: await ask(method, withValue(ours(method, request), path, value)),
          })),
        );
        wrong.push(...replies.filter(({ reply: { status } }) => status >= 500 || status === 413));
      }
    }
    expect(wrong).toEqual([]);
  });
});

describe('what is refused', () => {
  it('leaves nothing behind of a request of several messages', async () => {
    await world.settle();
    const before = [await messagesOf(), world.simulators.ledger.of('fcm').summary().accepted];
    const good = { content: 'good', transactionId: 'half-done' };
    const reply = await api13('createMessage', {
      auth: world.secrets.api,
      application,
      notifications: [good, { ...good, transactionId: 'other', conditions: [['No such tag', 'EQ', 1]] }],
    });
    expect(only(reply)).toEqual(refused('notifications[1].conditions[0]: unknown tag "No such tag"', { Messages: [] }));
    await world.settle();
    expect([await messagesOf(), world.simulators.ledger.of('fcm').summary().accepted]).toEqual(before);
    // The key is not used up by a request that was refused.
    const { Messages: messages } = await world.call('createMessage', { application, notifications: [good] });
    expect(await messagesOf()).toBe(Number(before[0]) + 1);
    expect(messages[0]).toMatch(/^[0-9A-F]{4}-[0-9A-F]{8}-[0-9A-F]{8}$/);
  });

  it('changes no tag when one of them is wrong, and no device when a field is', async () => {
    const phone = { application, hwid: 'phone-1' };
    await world.call('setTags', { ...phone, tags: { Level: 7 } });
    expect(
      only(await api13('setTags', { ...phone, tags: { Level: 8, Language: ['x'], Country: 'DE' } }, asDevice())),
    ).toMatchObject({
      json: { status_code: 210 },
    });
    expect(only(await api13('setTags', { ...phone, tags: { Country: 'DE', Level: 'high' } }, asDevice()))).toEqual(
      refused('tags.Level: wrong value: integer expected'),
    );
    const { result } = await world.call('getTags', phone);
    expect(result).toMatchObject({ Level: 7 });
    expect(result).not.toHaveProperty('Country');
    const refusedDevice = { application, hwid: 'never', device_type: 3, timezone: 50_401 };
    expect(only(await api13('registerDevice', refusedDevice, asDevice()))).toEqual(
      refused('timezone: must be -43200 to 50400'),
    );
    expect(only(await api13('getTags', { application, hwid: 'never' }, asDevice()))).toEqual(
      refused('Device not found'),
    );
  });

  it.each([
    ['content nowhere', {}, 'content: must be set'],
    ['a text that is a list', { content: [] }, 'content: must be a string or an object'],
    ['a text that is a number by language', { content: { en: true } }, 'content.en: must be a string'],
    ['an empty list of devices', { content: 'x', devices: [] }, 'devices: must not be empty'],
    [
      'too many users',
      { content: 'x', users: Array.from({ length: 1001 }, (_, i) => i) },
      'users: at most 1000 entries',
    ],
    ['data that is no JSON', { content: 'x', data: '{' }, 'data: must be an object or a JSON string'],
    ['an unknown platform', { content: 'x', platforms: [4] }, 'platforms: unknown value'],
    ['a date that is none', { content: 'x', send_date: 'tomorrow' }, 'send_date: must be "now" or YYYY-MM-DD HH:mm'],
    [
      'a date that is no day',
      { content: 'x', send_date: '2026-02-30 12:00' },
      'send_date: must be "now" or YYYY-MM-DD HH:mm',
    ],
    [
      'an operator that the tag has not',
      { content: 'x', conditions: [['Language', 'GTE', 'de']] },
      'conditions[0]: operator GTE is not valid for String tag',
    ],
    [
      'an operand of another type',
      { content: 'x', conditions: [['Level', 'EQ', 'high']] },
      'conditions[0]: wrong operand for Integer tag',
    ],
    [
      'a range upside down',
      { content: 'x', conditions: [['Level', 'BETWEEN', [5, 1]]] },
      'conditions[0]: wrong operand for Integer tag',
    ],
    [
      'a joint of conditions',
      { content: 'x', conditions: [['Level', 'EQ', 1]], conditions_operator: 'XOR' },
      'conditions_operator: must be one of AND, OR',
    ],
    ['a colour', { content: 'x', android_led: 'red' }, 'android_led: must be a colour of 6 or 8 hex digits'],
    ['a type', { content: 'x', message_type: 'spam' }, 'message_type: must be one of marketing, transactional'],
  ])('names %s', async (_what, notification, text) => {
    const request = { auth: world.secrets.api, application, notifications: [notification] };
    expect(only(await api13('createMessage', request))).toEqual(refused(`notifications[0].${text}`, { Messages: [] }));
  });
});

describe('secrets', () => {
  const password = `${CANARY}-password`;
  const keyFile = Buffer.from(`-----BEGIN PRIVATE KEY-----\n${CANARY}${CANARY}\n-----END PRIVATE KEY-----\n`).toString(
    'base64',
  );
  const privateKey = `-----BEGIN PRIVATE KEY-----\n${CANARY}-private-key-of-a-service-account\n-----END PRIVATE KEY-----\n`;

  it('are stored, and shown in their encoded form only', async () => {
    secrets.set('password', password).set('key file', keyFile).set('private key', privateKey);
    const ios = {
      application: sibling,
      device_type: 1,
      ios_key_management_type: 'manual',
      ios_key_file: keyFile,
      ios_key_password: password,
      ios_gateway: 1,
      ios_framework: 'native',
      ios_bundle_id: 'com.example.sibling',
      ios_key_id: 'CANARYKEY1',
      ios_team_id: 'CANARYTEAM',
    };
    const account = {
      type: 'service_account',
      project_id: 'p',
      private_key: privateKey,
      client_email: 'a@example.com',
    };
    const android = {
      application: sibling,
      device_type: 3,
      android_framework: 'native',
      android_fcm_service_account: account,
    };
    for (const request of [ios, android]) await world.call('configureApplication', request);
    for (const wrong of [
      { ...ios, ios_framework: 'x' },
      { ...ios, ios_gateway: password },
      { ...ios, ios_key_file: `!${password}` },
      { ...android, android_fcm_service_account: { ...account, type: privateKey } },
      { ...android, android_fcm_service_account: privateKey },
    ]) {
      expect(await api13('configureApplication', { auth: world.secrets.api, ...wrong })).toMatchObject({
        json: { status_code: 210 },
      });
    }
    const { application: shown } = await world.call('getApplication', { application: sibling });
    expect(shown.ios_key_password).toMatch(/^x[0-9a-f]{32}$/);
    expect(shown.android_gcm_api_key).toMatch(/^x[0-9a-f]{32}$/);
    failures.push(JSON.stringify(shown));
  });

  it('cannot be used, which is the end of a push and no fault of ours', async () => {
    await world.registerDevices(sibling, 4, (i) => ({
      hwid: `s-${i}`,
      device_type: i % 2 === 0 ? 1 : 3,
      push_token: `${i}`.repeat(64),
    }));
    const { Messages: messages } = await world.call('createMessage', {
      application: sibling,
      notifications: [{ content: 'x' }],
    });
    await world.settle();
    const { channels } = await world.call('getDeliveryFunnel', { message_code: messages[0] });
    const errors = channels[0]!.funnel.find(({ stage }) => stage === 'STAGE_ERRORS')!.errors;
    expect(errors).toMatchObject([{ category: 'INVALID_CONFIGURATION', count: '4' }]);
  });

  it('pass through as what devices say of people does, until they are erased (T15)', async () => {
    const [hwid, userId] = [`${CANARY}-hwid`, `${CANARY}-user`];
    const said = { push_token: `${CANARY}-token`, userId, city: `${CANARY}-city`, idfa: `${CANARY}-idfa` };
    await world.call('registerDevice', { application: sibling, hwid, device_type: 3, ...said });
    await world.call('setTags', {
      application: sibling,
      hwid,
      tags: { City: `${CANARY}-other-city`, Nonsense: CANARY },
    });
    const notifications = [{ content: 'Hello {{City}}', users: [userId] }];
    await world.call('createMessage', { application: sibling, notifications });
    await world.settle();
    for (const wrong of [{ language: CANARY }, { userId: CANARY.repeat(30) }, { tags: { City: [CANARY] } }]) {
      await api13('registerDevice', { application: sibling, hwid, device_type: 3, ...wrong }, asDevice());
    }
    await world.call('deleteDevice', { application: sibling, hwid });
    await world.settle();
  });

  it('appear in no log line, no metric and no error', async () => {
    const log = await world.logged();
    const { body: metrics } = await world.client.http.send('/metrics');
    expect(log.split('\n').length).toBeGreaterThan(5);
    for (const [where, said] of [
      ['the log', log],
      ['a metric', String(metrics)],
      ['an error', failures.join('\n')],
    ] as const) {
      for (const [what, secret] of secrets) {
        const found = [
          secret,
          JSON.stringify(secret).slice(1, -1),
          encodeURIComponent(secret),
          Buffer.from(secret).toString('base64'),
        ];
        expect([where, what, found.some((form) => said.includes(form))]).toEqual([where, what, false]);
      }
      expect([where, said.includes(CANARY)]).toEqual([where, false]);
    }
  });

  it('and all this was no fault of the service', async () => {
    const log = await world.logged();
    const faults = log.split('\n').filter((line) => /"level":"(error|fatal)"/.test(line));
    expect(faults).toEqual([]);
  });
});
