import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { describeWithMongo, until } from '@tidings/testing';
import { type Consumer, dialIn } from '../testing/test-subscriber.ts';
import { seqsUpTo, World } from '../testing/webhooks-world.ts';
import type { WebhooksService } from '../webhooks.ts';

const NO_ENDPOINT = { endpoint: '' };

describeWithMongo('subscribers that dial in (R-EV7)', (mongo) => {
  let world: World;
  let webhooks: WebhooksService;

  beforeEach(async () => {
    world = await new World(mongo).open();
    webhooks = await world.webhooks();
  });
  afterEach(() => world.close());

  const dial = async (
    subscription: string | undefined,
    { authorization = 'Token secret', service = webhooks }: { authorization?: string; service?: WebhooksService } = {},
  ): Promise<Consumer> => {
    const consumer = await dialIn({ address: `127.0.0.1:${service.eventsPort}`, authorization, subscription });
    return world.closing.add('consumer', consumer, (opened) => opened.kill());
  };
  const hwids = ({ received }: Consumer): string[] => received.map(({ hwid }) => hwid).toSorted();
  const hwidsOf = (seqs: readonly number[]): string[] => seqs.map((seq) => `hwid-${seq}`).toSorted();

  it('receive the events since the creation of the subscription, again until they are acknowledged', async () => {
    const id = await world.subscribe(webhooks, NO_ENDPOINT);
    const message = await world.message();
    await world.sent(message, seqsUpTo(40));
    await world.settle(webhooks);

    const first = await dial(id);
    first.answer = ({ hwid }) => (Number(hwid.split('-')[1]) < 10 ? 'ok' : undefined);
    await until(() => first.received.length === 40);
    await until(async () => (await world.metrics.metrics()).includes('tidings_webhooks_events_total{end="acked"} 10'));
    first.kill();

    const second = await dial(id);
    world.clock.advance(60_000);
    await until(() => second.received.length === 30);
    await world.report('opened', message, [3]);
    await world.settle(webhooks);
    expect(hwids(second)).toEqual([...hwidsOf(seqsUpTo(40).slice(10)), 'hwid-3', 'hwid-3'].toSorted());
    const uuids = new Set(first.received.map(({ uuid }) => uuid));
    expect(second.received.filter(({ uuid }) => !uuids.has(uuid)).map(({ eventName }) => eventName)).toEqual([
      'Push Delivered',
      'Push Opened',
    ]);
  });

  it('take the stream over from an earlier consumer in any process', async () => {
    const id = await world.subscribe(webhooks, NO_ENDPOINT);
    const another = await world.webhooks();
    const takenOver = { code: 10, details: 'subscription: another consumer has dialled in' };
    const first = await dial(id);
    const message = await world.message();
    await world.sent(message, [1]);
    await until(() => first.received.length === 1);
    await world.settle(webhooks);
    const second = await dial(id, { service: another });
    expect(await first.ended).toEqual(takenOver);
    const third = await dial(id, { service: another });
    expect(await second.ended).toEqual(takenOver);
    await world.sent(message, [2]);
    await until(() => third.received.some(({ hwid }) => hwid === 'hwid-2'));
    await world.settle(webhooks, another);
    expect(second.received).toEqual([]);

    await another.close();
    expect(await third.ended).toEqual({ code: 14, details: 'The server is stopping' });
    const fourth = await dial(id);
    await world.sent(message, [3]);
    await until(() => hwids(fourth).includes('hwid-3'));
    await world.settle(webhooks);
    expect(hwids(fourth)).toEqual(['hwid-3']);
  });

  it('end with their subscription, with their token, and when they are silent', async () => {
    const ids = [];
    for (let i = 0; i < 4; i++) ids.push(await world.subscribe(webhooks, NO_ENDPOINT));
    world.tokens.set('brief', world.tokens.get('secret')!);
    const [disabled, deleted, brief, silent] = await Promise.all(
      ids.map((id, i) => dial(id, { authorization: i === 2 ? 'Token brief' : 'Token secret' })),
    );
    silent!.answer = () => undefined;
    await world.sent(await world.message(), [1]);
    await until(() => [disabled, deleted, brief, silent].every((consumer) => consumer!.received.length === 1));

    await webhooks.subscriptions.change({
      id: ids[0]!,
      enabled: false,
      endpoint: undefined,
      events: undefined,
      applications: undefined,
      platforms: undefined,
      messageCodes: undefined,
      campaigns: undefined,
    });
    expect(await disabled!.ended).toEqual({ code: 9, details: 'subscription: is disabled' });
    await webhooks.subscriptions.delete({ id: ids[1]! });
    expect(await deleted!.ended).toEqual({ code: 5, details: 'subscription: not found' });
    world.tokens.delete('brief');
    expect(await brief!.ended).toEqual({ code: 16, details: 'authorization: unknown token' });
    expect(await (await dial(ids[1])).ended).toEqual({ code: 5, details: 'subscription: not found' });
    world.clock.advance(31_000);
    expect(await silent!.ended).toEqual({ code: 4, details: 'No answer within 30 seconds' });
  });
});
