import { api, conformanceCases, type ConformanceCase, type Method } from '@tidings/contract';
import { Fault } from '@tidings/kernel';
import { envelopes } from '../envelopes/envelopes.ts';
import { type Client, openClient } from '../testing/gateway-client.ts';
import { ADMINISTRATOR, APPLICATION, World } from '../testing/gateway-world.ts';

const EXAMPLE = 'A1B2C-3D4E5';

const secrets: Readonly<Record<Method['scope'], string>> = {
  api: 'api',
  server: 'api',
  device: 'device',
  admin: ADMINISTRATOR,
  none: '',
  optional: 'api',
};

function requestOf(method: Method, fields: Readonly<Record<string, unknown>>): { url: string; payload: unknown } {
  if (method.body !== 'bare') return { url: method.path, payload: { request: { ...fields, auth: undefined } } };
  const url = method.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(fields[name])));
  return { url, payload: fields };
}

const faulty = (method: Method): readonly ConformanceCase[] =>
  method.verb === 'POST' && !method.path.includes('{')
    ? conformanceCases(method).filter(({ expected }) => expected !== 'accepted')
    : [];

const methods = Object.values<Method>(api).filter((method) => faulty(method).length > 0);

let client: Client;
beforeAll(async () => {
  const world = new World();
  world.applications.set(EXAMPLE, { ...world.applications.get(APPLICATION)!, code: EXAMPLE });
  world.tokens.set('api', { ...world.tokens.get('api')!, allApplications: true });
  client = await openClient(world);
});
afterAll(() => client.close());

describe.each(methods.map((method) => [method.name, method] as const))('%s', (_name, method) => {
  it.each(faulty(method).map((one) => [one.title, one] as const))(
    'refuses a faulty request in the envelope of its family: %s',
    async (_title, { request, expected }) => {
      if (expected === 'accepted') throw new Error('not a faulty request');
      const { url, payload } = requestOf(method, request);
      const secret = secrets[method.scope];
      const headers: Record<string, string> = secret === '' ? {} : { authorization: `Token ${secret}` };
      const answer = await client.send('POST', url, JSON.stringify(payload), headers);
      const body = JSON.stringify(answer.body);
      expect(body).toContain(expected.text ?? expected.field);
      const pattern = envelopes[method.family].fault(new Fault(expected.kind, 'T'), method);
      expect(answer.status).toBe(pattern.status);
      expect(Object.keys(answer.body as object)).toEqual(Object.keys(JSON.parse(pattern.body) as object));
    },
  );
});
