import type { DeviceReplies } from '@tidings/rpc';
import { openClient } from '../testing/gateway-client.ts';
import { APPLICATION, World } from '../testing/gateway-world.ts';

it('a shutdown finishes requests in progress, and ends keep-alive connections (reliability 1)', async () => {
  const world = new World();
  const arrived = Promise.withResolvers<void>();
  const registry = Promise.withResolvers<DeviceReplies>();
  world.devices.apply = () => {
    arrived.resolve();
    return registry.promise;
  };
  const client = await openClient(world);
  const request = { application: APPLICATION, hwid: 'phone-1' };
  const answer = client.json13('unregisterDevice', request, { authorization: 'Token device' });
  await arrived.promise;
  const closed = client.shutDown();
  registry.resolve({ replies: [{ fault: undefined }] });
  expect(await answer).toMatchObject({ status: 200, body: { status_code: 200 } });
  await closed;
});
