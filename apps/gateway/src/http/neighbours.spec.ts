import { healthModule, openMetrics, Readiness } from '@tidings/runtime';
import { openClient, World } from '../testing/world.ts';

it("what Nest serves on the same port stays as it is, and the rest is the API's", async () => {
  const readiness = new Readiness();
  readiness.start();
  const client = await openClient(new World(), [healthModule(readiness, openMetrics())]);
  expect(await client.send('GET', '/livez')).toMatchObject({ status: 200, body: { status: 'ok' } });
  expect(await client.send('GET', '/readyz')).toMatchObject({ status: 200 });
  expect(await client.send('GET', '/livezz')).toMatchObject({ status: 404, body: { code: 5 } });
  readiness.stop();
  expect(await client.send('GET', '/readyz')).toMatchObject({ status: 503 });
  await client.close();
});
