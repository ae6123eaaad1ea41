import { healthModule, openMetrics, Readiness } from '@tidings/runtime';
import { openClient } from '../testing/gateway-client.ts';
import { World } from '../testing/gateway-world.ts';

it('routes of Nest on the same port stay unchanged, and the API serves all others', async () => {
  const readiness = new Readiness();
  readiness.start();
  const client = await openClient(new World(), { imports: [healthModule(readiness, openMetrics())] });
  expect(await client.send('GET', '/livez')).toMatchObject({ status: 200, body: { status: 'ok' } });
  expect(await client.send('GET', '/readyz')).toMatchObject({ status: 200 });
  expect(await client.send('HEAD', '/livez')).toMatchObject({ status: 200 });
  for (const path of ['/livezz', '/**', '/*.php', '/:(', '/livez:x(', '/:file(\\d+', '/*']) {
    expect(await client.send('GET', path)).toMatchObject({ status: 404, body: { code: 5 } });
    expect(await client.send('HEAD', path)).toMatchObject({ status: 404 });
  }
  readiness.stop();
  expect(await client.send('GET', '/readyz')).toMatchObject({ status: 503 });
  await client.close();
});

it('a probe ends its connection while the gateway closes', async () => {
  const imports = [healthModule(new Readiness(), openMetrics())];
  const client = await openClient(new World(), { imports, drainMs: 60_000 });
  expect((await client.send('GET', '/livez')).headers).toMatchObject({ connection: 'keep-alive' });
  const closed = client.shutDown();
  expect((await client.send('GET', '/livez')).headers).toMatchObject({ connection: 'close' });
  await closed;
});
