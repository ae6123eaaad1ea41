import { beforeAll, describe, expect, it } from '@jest/globals';
import { api, conformanceCases, type Method } from '@tidings/contract';
import { Fault } from '@tidings/kernel';
import type { LoggingWorld } from '@tidings/testing';
import { bodyFeatures } from './requests/bodies.features.ts';
import { pathFeatures } from './requests/paths.features.ts';
import {
  CANARY,
  EXAMPLE,
  type Reply,
  refused,
  bare,
  gateway,
  only,
  RequestsUnderTest,
} from './requests/testing/requests.ts';
import { tokenFeatures } from './requests/tokens.features.ts';

const test = new RequestsUnderTest();
const { send, api13, callMethod, asDevice, asServer, asAdmin, messagesOf, secrets, failures } = test;
let world: LoggingWorld;
let application: string;
let sibling: string;
beforeAll(() => {
  ({ world, application, sibling } = test);
});

bodyFeatures(test);
pathFeatures(test);
tokenFeatures(test);

describe('every method of the contract', () => {
  let doomed: string;
  beforeAll(async () => {
    doomed = await world.application({ title: 'Doomed', ios: false, android: false });
  });

  const ours = ({ name }: Method, request: unknown): Record<string, unknown> => {
    const about = name === api.deleteApplication.name ? doomed : application;
    return JSON.parse(JSON.stringify(request).replaceAll(new RegExp(EXAMPLE, 'gi'), about)) as Record<string, unknown>;
  };

  const ask = (method: Method, request: unknown): Promise<Reply> => {
    const fields = ours(method, request);
    switch (method.scope) {
      case 'api':
        return callMethod(method, { ...fields, auth: world.secrets.api });
      case 'device':
        return callMethod(method, fields, asDevice());
      case 'server':
      case 'optional':
        return callMethod(method, fields, asServer());
      case 'none':
        return callMethod(method, fields);
      default:
        return send(method.path, { verb: method.verb, headers: asAdmin(), body: JSON.stringify(fields) });
    }
  };

  const walked = Object.entries<Method>(api).filter(([, { verb, path }]) => verb === 'POST' && !path.includes('{'));

  const cases = walked.flatMap(([, method]) => {
    // This suite passes tokens separately.
    const own = conformanceCases(method).filter(({ title }) => !title.startsWith('auth'));
    const kinds = Map.groupBy(own, ({ expected }) => (expected === 'accepted' ? 'accepted' : expected.kind));
    return [...kinds]
      .flatMap(([kind, ones]) => (kind === 'accepted' ? ones : ones.slice(0, 1)))
      .map((one) => [`${method.name}: ${one.title}`, method, one] as const);
  });

  it.each(cases)('answers according to its contract: %s', async (_title, method, { request, expected }) => {
    const reply = await ask(method, request);
    const { status, json } = reply;
    if (expected === 'accepted') {
      // The examples may name absent objects, or need Kafka; the request itself must be valid.
      const isAbsent =
        /unknown application|(filterCode|preset|template): not found|the embedded mode has no Kafka/.test(reply.text);
      expect(isAbsent && method.family !== 'json13' ? [400] : [method.status, 404]).toContain(status);
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
      case 'notify':
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

  /** Otherwise the gateway answers all requests the same way. */
  const accepts = (method: Method, request: Record<string, unknown>): boolean => {
    try {
      const missing = method.missing(request);
      if (missing) throw missing;
      method.parse(request);
      return true;
    } catch (thrown) {
      expect(['argument', 'malformed']).toContain(Fault.from(thrown).kind);
      return false;
    }
  };

  it.each(walked)('answers any input, and never with an internal fault: %s', async (_name, method) => {
    // The clock must stay close to the clock of the providers.
    if (method.name === 'advanceClock') return;
    const wrong: unknown[] = [];
    for (const { request } of method.examples) {
      const example = ours(method, request);
      const fields = paths(example).filter(([first]) => first !== 'auth');
      const given = fields
        .flatMap((path) => odd.map((value) => ({ path, value })))
        .map((one) => ({ ...one, changed: withValue(example, one.path, one.value) as Record<string, unknown> }))
        .filter(({ changed }, i) => accepts(method, changed) || i % 10 === 0);
      for (const [path, values] of Map.groupBy(given, (one) => one.path)) {
        const replies = await Promise.all(
          values.map(async ({ value, changed }) => ({ path, value, reply: await ask(method, changed) })),
        );
        wrong.push(...replies.filter(({ reply: { status } }) => status >= 500 || status === 413));
      }
    }
    expect(wrong).toEqual([]);
  });
});

describe('a refused request', () => {
  it('has no effect if one of several messages is invalid', async () => {
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
    // A refused request does not use up the key.
    const { Messages: messages } = await world.call('createMessage', { application, notifications: [good] });
    expect(await messagesOf()).toBe(Number(before[0]) + 1);
    expect(messages[0]).toMatch(/^[0-9A-F]{4}-[0-9A-F]{8}-[0-9A-F]{8}$/);
  });

  it('changes no tag if one of them is wrong, and no device if a field is', async () => {
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
    ['missing content', {}, 'content: must be set'],
    ['a text that is a list', { content: [] }, 'content: must be a string or an object'],
    ['a text that is a number by language', { content: { en: true } }, 'content.en: must be a string'],
    ['an empty list of devices', { content: 'x', devices: [] }, 'devices: must not be empty'],
    [
      'too many users',
      { content: 'x', users: Array.from({ length: 1001 }, (_, i) => i) },
      'users: at most 1000 entries',
    ],
    ['data that is not JSON', { content: 'x', data: '{' }, 'data: must be an object or a JSON string'],
    ['an unknown platform', { content: 'x', platforms: [4] }, 'platforms: unknown value'],
    ['an invalid date', { content: 'x', send_date: 'tomorrow' }, 'send_date: must be "now" or YYYY-MM-DD HH:mm'],
    [
      'a date that does not exist',
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
  ])('is explained with the field, for %s', async (_what, notification, text) => {
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

  it('may be unusable, which fails a push and is not an internal fault', async () => {
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

  it('may be part of free texts of devices, until these are erased (T15)', async () => {
    const [hwid, userId] = [`${CANARY}-hwid`, `${CANARY}-user`];
    const details = { push_token: `${CANARY}-token`, userId, city: `${CANARY}-city`, idfa: `${CANARY}-idfa` };
    await world.call('registerDevice', { application: sibling, hwid, device_type: 3, ...details });
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
    for (const [where, text] of [
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
        expect([where, what, found.some((form) => text.includes(form))]).toEqual([where, what, false]);
      }
      expect([where, text.includes(CANARY)]).toEqual([where, false]);
    }
  });

  it('cause no error of the service in the log', async () => {
    const log = await world.logged();
    const errors = log.split('\n').filter((line) => /"level":"(error|fatal)"/.test(line));
    // On a busy machine the store may answer late, whatever is requested.
    expect(errors.filter((line) => !line.includes('"type":"UnknownOutcome"'))).toEqual([]);
  });
});
