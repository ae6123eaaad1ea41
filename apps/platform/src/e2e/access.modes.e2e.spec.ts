import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { api, type Method } from '@tidings/contract';
import { platform, type PlatformWorld } from '@tidings/testing';

const EXAMPLE = 'A1B2C-3D4E5';
const FORBID = 'Token restrictions forbid this operation';
const DENIED = 'Access denied or application not found';

type Kind = 'nothing' | 'garbage' | 'administrator' | 'api' | 'device';
type StatusAndBody = { readonly status: number; readonly body: unknown };

let world: PlatformWorld;
let application: string;
let restricted: Readonly<Record<'api' | 'device', string>>;
let foreign: Readonly<Record<'api' | 'device', string>>;
let secrets: Readonly<Record<Kind, string>>;

const methods = Object.values<Method>(api);
const named = (some: readonly Method[]) => some.map((method) => [method.name, method] as const);

beforeAll(async () => {
  world = await platform();
  application = await world.application({ ios: false, android: false });
  const other = await world.application({ title: 'Other', ios: false, android: false });
  const { account } = await world.call('createAccount', { name: 'Foreign' });
  const issue = async (more: object) => {
    const [ofServers, ofDevices] = await Promise.all(
      (['api', 'device'] as const).map((scope) => world.call('createToken', { scope, ...more })),
    );
    return { api: ofServers!.token, device: ofDevices!.token };
  };
  restricted = await issue({ applications: [other] });
  foreign = await issue({ applications: 'all', account });
  const { admin, api: ofServers, device } = world.secrets;
  const garbage = `${ofServers.slice(0, -1)}${ofServers.endsWith('0') ? '1' : '0'}`;
  secrets = { nothing: '', garbage, administrator: admin, api: ofServers, device };
});
afterAll(() => world?.stop());

const exampleOf = (method: Method): Record<string, unknown> => {
  const { auth: _, ...example } = JSON.parse(
    JSON.stringify(method.examples[0]!.request).replaceAll(new RegExp(EXAMPLE, 'gi'), application),
  ) as Record<string, unknown>;
  return example;
};

async function ask(method: Method, secret: string): Promise<StatusAndBody> {
  const example = exampleOf(method);
  const path = method.path.replaceAll(/\{(\w+)\}/g, (_, field: string) => encodeURIComponent(String(example[field])));
  const auth = method.scope === 'api' ? { auth: secret } : {};
  const fields = { ...example, ...auth };
  const isBare = method.verb === 'GET' || method.verb === 'DELETE';
  const reply = await world.client.http.send(path, {
    method: method.verb,
    headers: method.scope === 'api' || secret === '' ? {} : { authorization: `Token ${secret}` },
    ...(isBare ? {} : { body: method.family === 'json13' && method.body !== 'bare' ? { request: fields } : fields }),
  });
  return { status: reply.status, body: reply.body };
}

/** R-T4, R-T6, R-T8, R-G1 */
function invalid(method: Method): object {
  if (method.scope === 'admin') return { status: 401, body: { error: { kind: 'unauthorized' } } };
  if (method.scope === 'server') return { status: 401, body: { code: 16, details: [] } };
  if (method.family === 'audience') return { status: 403, body: { message: FORBID } };
  if (method.unauthorized) return { status: 401, body: { status_message: 'Missing or invalid token', response: null } };
  return { status: 403, body: { status_code: 403, status_message: FORBID, response: null } };
}

function refusal(method: Method, text: string): object {
  if (method.family === 'apiV2' || method.family === 'notify') return { status: 403, body: { code: 7, message: text } };
  if (method.family === 'audience') return { status: 403, body: { message: text } };
  return text === FORBID
    ? { status: 403, body: { status_code: 403, status_message: FORBID, response: null } }
    : { status: 200, body: { status_code: 210, status_message: DENIED } };
}

const takes: Readonly<Record<Method['scope'], Kind | undefined>> = {
  admin: 'administrator',
  api: 'api',
  server: 'api',
  device: 'device',
  none: undefined,
  optional: undefined,
};

describe('a method that requires a token', () => {
  it.each(named(methods.filter(({ scope }) => takes[scope] !== undefined)))(
    'accepts only tokens of its own kind: %s',
    async (_name, method) => {
      // Wrong administrator tokens count for a minute (R-LM8).
      if (method.scope === 'admin') await world.advance(60);
      for (const [kind, secret] of Object.entries(secrets)) {
        if (kind === takes[method.scope]) continue;
        expect([kind, await ask(method, secret)]).toMatchObject([kind, invalid(method)]);
      }
    },
  );
});

describe('a method that requires no token', () => {
  it.each(named(methods.filter(({ scope }) => takes[scope] === undefined)))(
    'accepts no invalid token either: %s (R-G3, R-L1)',
    async (_name, method) => {
      for (const kind of ['garbage', 'administrator'] as const) {
        expect([kind, await ask(method, secrets[kind])]).toMatchObject([kind, invalid(method)]);
      }
    },
  );
});

describe('methods that name an application', () => {
  const about = methods.filter(
    (method) =>
      method.scope !== 'admin' && method.scope !== 'none' && method.application(method.examples[0]!.request) != null,
  );
  const tokenOf = (method: Method, tokens: typeof restricted): string =>
    method.scope === 'device' ? tokens.device : tokens.api;

  it('include more than 20 methods', () => expect(about.length).toBeGreaterThan(20));

  it.each(named(about))('refuse a token of the account that is not granted it: %s (R-T5)', async (_name, method) => {
    expect(await ask(method, tokenOf(method, restricted))).toMatchObject(refusal(method, FORBID));
  });

  it.each(named(about))('reveal nothing of it to a token of another account: %s (R-T5)', async (_name, method) => {
    expect(await ask(method, tokenOf(method, foreign))).toMatchObject(refusal(method, DENIED));
  });

  it('leave the application unchanged after all these calls', async () => {
    const { application: shown } = await world.call('getApplication', { application });
    expect(shown).toMatchObject({ title: 'Test', languages: {} });
    expect(Object.values(shown.providers)).not.toContain(true);
  });
});
