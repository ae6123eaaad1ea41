import { Fault } from '@tidings/kernel';
import { type Client, openClient } from '../../testing/gateway-client.ts';
import { World } from '../../testing/gateway-world.ts';

let client: Client;
let fault: Fault;
beforeAll(async () => {
  const world = new World();
  const refuse = (): Promise<never> => Promise.reject(fault);
  Object.assign(world.segments, { count: refuse, createFilter: refuse });
  world.services.jobs.acceptExport = refuse;
  client = await openClient(world);
});
afterAll(() => client.close());

const calls = [
  ['compileFilter', { devices_filter: 'T(' }, 'expression', 'devices_filter'],
  ['createFilter', { name: 'n', filter_expression: 'T(' }, 'expression', 'filter_expression'],
  ['exportSegment', { filterExpression: 'T(' }, 'expression', 'filterExpression'],
  ['exportSegment', { filterCode: 'A1B2C-3D4E5' }, 'filterCode', 'filterCode'],
] as const;

describe('a refused segment', () => {
  it.each(calls)('is named as in the request of %s %j', async (method, parameters, field, path) => {
    fault = Fault.argument('unexpected end at position 2', field);
    expect(await messageOf(method, parameters)).toBe(`${path}: unexpected end at position 2`);
  });

  it.each(calls)('does not change other faults of %s %j', async (method, parameters) => {
    fault = Fault.argument('name: must be 1 to 255 characters');
    expect(await messageOf(method, parameters)).toBe('name: must be 1 to 255 characters');
  });
});

async function messageOf(method: (typeof calls)[number][0], parameters: object): Promise<string | undefined> {
  const { body } = await (method === 'exportSegment'
    ? client.apiV2(`audience/${method}`, parameters, { authorization: 'Key api' })
    : client.json13(method, { auth: 'api', ...parameters }));
  const { message, status_message } = body as { readonly message?: string; readonly status_message?: string };
  return message ?? status_message;
}
