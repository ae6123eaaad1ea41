import { HttpAdapterHost } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import { type Operations, OperationsDefinition, servedByEveryProcess } from '@tidings/rpc';
import { openReplicas, remote, rpcControllers, RpcServer } from '@tidings/rpc/grpc';
import { healthModule, Readiness } from '@tidings/runtime';
import { leftOpen, openResources } from '@tidings/testing';
import { gatewayModule, gatewayOptions, gatewayServer } from './create-gateway.ts';
import { OWN_OPERATIONS } from './injection-tokens.ts';
import { APPLICATION, World } from './testing/gateway-world.ts';

async function start() {
  const world = new World();
  const readiness = new Readiness();
  const deps = world.deps({
    imports: [healthModule(readiness, world.metrics)],
    controllers: rpcControllers(OWN_OPERATIONS, servedByEveryProcess),
  });
  const { adapter, serve } = gatewayServer(deps);
  // Nest's testing module creates providers before it is given the adapter.
  const host = new HttpAdapterHost();
  host.httpAdapter = adapter;
  const compiled = await Test.createTestingModule({ imports: [gatewayModule(deps)] })
    .overrideProvider(HttpAdapterHost)
    .useValue(host)
    .compile();
  const app = compiled.createNestApplication<NestFastifyApplication>(adapter, gatewayOptions(deps.log));
  serve(app);
  const access = { masterKeys: deps.masterKeys };
  const strategy = new RpcServer({ host: '127.0.0.1', port: 0, services: [OperationsDefinition], access });
  app.connectMicroservice({ strategy });
  await app.startAllMicroservices();
  await app.listen(0, '127.0.0.1');
  const url = await app.getUrl();
  const replicas = await openReplicas(strategy.address, { access });
  return {
    world,
    readiness,
    operations: remote<Operations>(OperationsDefinition, replicas),
    status: async (path: string) => (await fetch(url + path)).status,
    call: async (method: string, token: string, request: object) => {
      const headers = { authorization: `Token ${token}` };
      const response = await fetch(`${url}/json/1.3/${method}`, {
        method: 'POST',
        headers,
        body: JSON.stringify({ request }),
      });
      return { status: response.status, body: await response.json() };
    },
    async close() {
      replicas.close();
      await app.close();
    },
  };
}

describe('the module of the gateway', () => {
  it('becomes ready, answers by HTTP and gRPC, and closes with nothing left open', async () => {
    const before = openResources();
    const { world, readiness, operations, status, call, close } = await start();
    try {
      expect(await status('/livez')).toBe(200);
      expect(await status('/readyz')).toBe(503);
      readiness.start();
      expect(await status('/readyz')).toBe(200);

      expect(await operations.settled({})).toEqual({ open: [], deletions: [] });
      const device = { application: APPLICATION, hwid: 'phone-1', device_type: 3 };
      expect(await call('registerDevice', 'wrong', device)).toMatchObject({ status: 403 });
      expect(await call('registerDevice', 'device', device)).toEqual({
        status: 200,
        body: { status_code: 200, status_message: 'OK', response: null },
      });
      expect(world.commands).toMatchObject([{ hwid: 'phone-1' }]);
    } finally {
      await close();
    }
    await expect(status('/livez')).rejects.toThrow();
    expect(await leftOpen(before)).toEqual([]);
  });
});
