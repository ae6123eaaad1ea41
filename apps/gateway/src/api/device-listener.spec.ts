import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { api, conformanceCases, type Method } from '@tidings/contract';
import { createGateway, gatewayModule, gatewayOptions, gatewayServer } from '../create-gateway.ts';
import { APPLICATION, World } from '../testing/gateway-world.ts';

const EXAMPLE = 'A1B2C-3D4E5';
const methods = Object.values<Method>(api).filter(({ scope }) => scope === 'device');

function world(): World {
  const made = new World();
  made.applications.set(EXAMPLE, { ...made.applications.get(APPLICATION)!, code: EXAMPLE });
  return made;
}

async function withoutListener(): Promise<NestFastifyApplication> {
  const deps = world().deps({});
  const { adapter } = gatewayServer(deps);
  return NestFactory.create<NestFastifyApplication>(gatewayModule(deps), adapter, gatewayOptions(deps.log));
}

describe('a method of devices', () => {
  let gateways: readonly NestFastifyApplication[];
  beforeAll(async () => {
    gateways = await Promise.all([createGateway(world().deps({})), withoutListener()]);
    for (const gateway of gateways) await gateway.listen(0, '127.0.0.1');
  });
  afterAll(async () => void (await Promise.all(gateways.map((gateway) => gateway.close()))));

  const repliesTo = (path: string, body: string, headers: Readonly<Record<string, string>> = {}) =>
    Promise.all(
      gateways.map(async (gateway) => {
        const init = { method: 'POST', headers: { origin: 'https://example.com', ...headers }, body };
        const reply = await fetch((await gateway.getUrl()) + path, init);
        const { date: _, ...others } = Object.fromEntries(reply.headers);
        return { status: reply.status, headers: others, body: await reply.text() };
      }),
    );
  const device = { authorization: 'Token device' };

  it.each(methods.map((method) => [method.name, method] as const))(
    '%s has the same reply from its listener as from its controller',
    async (_name, method) => {
      const requests = [...method.examples, ...conformanceCases(method)].map(({ request }) => request);
      const bodies = requests.map((request) => JSON.stringify(method.body === 'bare' ? request : { request }));
      const cases = [
        ...bodies.map((body) => [body, device] as const),
        [bodies[0]!, {}] as const,
        [bodies[0]!, { authorization: 'Token unknown' }] as const,
        [bodies[0]!, { ...device, 'idempotency-key': 'k'.repeat(256) }] as const,
        ['{"request":', device] as const,
        ['[]', { ...device, 'content-type': 'text/plain; charset' }] as const,
        [`{"request":{"a":"${'x'.repeat(method.maxBodyBytes)}"}}`, device] as const,
      ];
      for (const [body, headers] of cases) {
        const [listener, controller] = await repliesTo(method.path, body, headers);
        expect(listener).toEqual(controller);
      }
    },
  );
});
