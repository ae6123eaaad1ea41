import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { OutboundProxy } from '@tidings/runtime';
import { describeWithMongo, startConnectProxy, until } from '@tidings/testing';
import { selfSigned } from './testing/test-subscriber.ts';
import { World } from './testing/webhooks-world.ts';

const ADDRESS = '192.0.2.7';
const CREDENTIALS = 'user:secret';
const SENT = { events: ['Push Sent'] };

describeWithMongo('subscribers behind a proxy (ADR 50)', (mongo) => {
  let world: World;
  beforeEach(async () => {
    world = await new World(mongo).open();
  });
  afterEach(() => world.close());

  it.each([
    ['HTTP', ADDRESS, ADDRESS],
    ['gRPC', ADDRESS, ADDRESS],
    ['gRPC', '2001:db8::7', '[2001:db8::7]'],
  ])('are reached over %s by their checked address, %s', async (transport, address, host) => {
    const tls = selfSigned({ host: address });
    const subscriber = await (transport === 'HTTP' ? world.httpSubscriber({ tls }) : world.subscriber({ tls }));
    const routes = { [`${host}:8443`]: Number(new URL(subscriber.endpoint).port) };
    const proxy = world.closing.add('proxy', await startConnectProxy({ routes, credentials: CREDENTIALS }), (each) =>
      each.close(),
    );
    const webhooks = await world.webhooks({
      allowPrivate: [address],
      extraCa: tls.cert,
      proxy: new OutboundProxy(proxy.url.replace('//', `//${CREDENTIALS}@`)),
    });
    const endpoint = subscriber.endpoint.replace(/127\.0\.0\.1:\d+/, `${host}:8443`);
    await world.subscribe(webhooks, { endpoint }, SENT);
    await world.sent(await world.message(), [1]);
    await world.settle(webhooks);
    expect(subscriber.acknowledged().size).toBe(1);
    expect(new Set(proxy.requests.map(({ to, credentials }) => `${to} ${credentials}`))).toEqual(
      new Set([`${host}:8443 ${CREDENTIALS}`]),
    );
  });

  it('receive their events once the proxy answers', async () => {
    const tls = selfSigned({ host: ADDRESS });
    const subscriber = await world.subscriber({ tls });
    const routes: Record<string, number> = {};
    const proxy = world.closing.add('proxy', await startConnectProxy({ routes }), (each) => each.close());
    const webhooks = await world.webhooks({
      allowPrivate: [`${ADDRESS}/32`],
      extraCa: tls.cert,
      proxy: new OutboundProxy(proxy.url),
    });
    await world.subscribe(webhooks, { endpoint: `grpcs://${ADDRESS}:8443` }, SENT);
    await world.sent(await world.message(), [1]);
    await until(() => proxy.requests.length > 0);
    routes[`${ADDRESS}:8443`] = Number(new URL(subscriber.endpoint).port);
    await until(async () => {
      world.clock.advance(60_000);
      await world.settle(webhooks);
      return subscriber.acknowledged().size === 1;
    });
  });
});
