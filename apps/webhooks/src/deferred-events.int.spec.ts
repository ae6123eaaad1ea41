import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { describeWithMongo, until } from '@tidings/testing';
import { type Consumer, dialIn } from './testing/test-subscriber.ts';
import { seqsUpTo, World } from './testing/webhooks-world.ts';
import type { WebhooksService } from './webhooks.ts';

const NAMES = ['Push Sent', 'Push Delivered', 'Push Opened'];
const REFUSED = 1_050;
const MINUTE_MS = 60_000;

interface Arrival {
  readonly uuid: string;
  readonly name: string;
  readonly hwid: string;
}
type Answer = string | undefined;

class Choosy {
  readonly arrivals: (Arrival & { readonly answer: Answer })[] = [];
  answerTo: (hwid: string) => Answer = () => 'ok';

  take(arrival: Arrival): Answer {
    const answer = this.answerTo(arrival.hwid);
    this.arrivals.push({ ...arrival, answer });
    return answer;
  }

  acked(): string[] {
    return this.arrivals.flatMap(({ answer, name, hwid }) => (answer === 'ok' ? [`${name} ${hwid}`] : []));
  }

  devices(): ReadonlySet<string> {
    return new Set(this.arrivals.flatMap(({ answer, hwid }) => (answer === 'ok' ? [hwid] : [])));
  }
}

function overtakers({ arrivals }: Choosy): string[] {
  const acked = new Set<string>();
  return arrivals.flatMap(({ hwid, name, answer }) => {
    const former = NAMES.slice(0, NAMES.indexOf(name));
    if (answer === 'ok') acked.add(`${name} ${hwid}`);
    return former.every((each) => acked.has(`${each} ${hwid}`)) ? [] : [`${name} ${hwid}`];
  });
}

type Connect = (
  world: World,
  choosy: Choosy,
) => Promise<{
  readonly endpoint: string;
  readonly dial?: (webhooks: WebhooksService, subscription: string) => Promise<void>;
}>;

const overGrpc: Connect = async (world, choosy) => {
  const subscriber = await world.subscriber();
  subscriber.behaviour.answer = ({ uuid, eventName: name, hwid }) => choosy.take({ uuid, name, hwid });
  return subscriber;
};

const byLists: Connect = async (world, choosy) => {
  const subscriber = await world.httpSubscriber();
  subscriber.behaviour.answerEach = ({ uuid, event_name: name, hwid }) => choosy.take({ uuid, name, hwid });
  return subscriber;
};

/** One event that it does not take makes it refuse the whole post. */
const byStatus: Connect = async (world, choosy) => {
  const subscriber = await world.httpSubscriber();
  subscriber.behaviour.answer = ({ events }) => {
    const isWhole = events.every(({ hwid }) => choosy.answerTo(hwid) === 'ok');
    for (const { uuid, event_name: name, hwid } of events) {
      if (isWhole || events.length === 1) choosy.take({ uuid, name, hwid });
    }
    return { status: isWhole ? 204 : 422 };
  };
  return subscriber;
};

const byDialIn: Connect = async (world, choosy) => ({
  endpoint: '',
  async dial({ eventsPort }, subscription) {
    const address = `127.0.0.1:${eventsPort}`;
    const consumer: Consumer = await dialIn({ address, authorization: 'Token secret', subscription });
    world.closing.add('consumer', consumer, (opened) => opened.kill());
    consumer.answer = ({ uuid, eventName: name, hwid }) => choosy.take({ uuid, name, hwid });
  },
});

/** Whole posts take many rounds: a full window of them has a case of its own. */
const links: readonly (readonly [string, Connect, number])[] = [
  ['a stream of gRPC', overGrpc, REFUSED],
  ['lists of answers by HTTP', byLists, REFUSED],
  ['the status of a post', byStatus, 150],
  ['a stream that was dialled', byDialIn, REFUSED],
];

describeWithMongo('refused events (R-EV5)', (mongo) => {
  let world: World;
  let webhooks: WebhooksService;
  let choosy: Choosy;

  beforeEach(async () => {
    world = await new World(mongo).open();
    webhooks = await world.webhooks();
    choosy = new Choosy();
  });
  afterEach(() => world.close());

  const deferred = () => world.db.collection('deferredEvents').countDocuments();
  const passUntil = (condition: () => boolean | Promise<boolean>): Promise<void> =>
    until(async () => {
      await world.settle(webhooks);
      if (await condition()) return true;
      world.clock.advance(MINUTE_MS);
      return false;
    });
  const numberOf = (hwid: string): number => Number(hwid.split('-')[1]);
  const viewOf = async (id: string) => (await webhooks.subscriptions.find({ id })).subscription!;

  describe.each(links)('refused events of a subscriber by %s', (_, connect, refused) => {
    it('delay only events of their device and message, and arrive in order once they are accepted', async () => {
      const { endpoint, dial } = await connect(world, choosy);
      const id = await world.subscribe(webhooks, { endpoint });
      await dial?.(webhooks, id);
      choosy.answerTo = (hwid) => (numberOf(hwid) < refused ? 'no' : 'ok');
      const message = await world.message();
      const all = seqsUpTo(refused + 100);
      const opened = all.slice(refused - 50, refused + 50);
      await world.sent(message, all);
      await passUntil(() => choosy.devices().size === 100);
      await world.report('opened', message, opened);
      await passUntil(() => choosy.acked().length === 200);
      expect(overtakers(choosy)).toEqual([]);

      await webhooks.close();
      webhooks = await world.webhooks();
      await dial?.(webhooks, id);
      choosy.answerTo = () => 'ok';
      const events = all.length + 2 * opened.length;
      await passUntil(() => new Set(choosy.acked()).size === events);
      expect(choosy.acked()).toHaveLength(events);
      expect(overtakers(choosy)).toEqual([]);
      await passUntil(async () => (await deferred()) === 0 && (await viewOf(id)).deferredEvents === 0);
    });
  });

  it('leave the window together with the later ones of their device and message', async () => {
    const id = await world.subscribe(webhooks, await overGrpc(world, choosy));
    choosy.answerTo = () => 'no';
    const message = await world.message();
    await world.sent(message, seqsUpTo(300));
    await passUntil(async () => (await viewOf(id)).deferredEvents === 300);
    await world.report('opened', message, seqsUpTo(300));
    // Each device has a Sent that is refused, and a Delivered and an Opened behind it.
    await passUntil(async () => (await viewOf(id)).deferredEvents === 900);
    expect(await deferred()).toBe(300);
    expect(await viewOf(id)).toMatchObject({ droppedEvents: 0n, oldestDeferredAt: expect.any(Date) });
    const streams = await world.db.collection<{ open: { length(): number } }>('streams').find().toArray();
    expect(streams[0]!.open.length()).toBe(0);
    expect(await world.metrics.metrics()).toContain('tidings_webhooks_deferred_events 900');
  });

  it('are deferred after three times without an answer, while others are acknowledged', async () => {
    const id = await world.subscribe(webhooks, await overGrpc(world, choosy), { events: ['Push Sent'] });
    choosy.answerTo = (hwid) => (numberOf(hwid) < 3 ? undefined : 'ok');
    const message = await world.message();
    await world.sent(message, seqsUpTo(6));
    let next = 10;
    await until(async () => {
      await world.sent(message, [next++]);
      await until(() => choosy.devices().has(`hwid-${next - 1}`));
      world.clock.advance(30_000);
      return (await viewOf(id)).deferredEvents === 3;
    });
    const tries = Map.groupBy(choosy.arrivals, ({ hwid }) => hwid).get('hwid-0')!.length;
    expect(tries).toBeGreaterThanOrEqual(3);
  });

  it('stay in the window while the subscriber or its server is unavailable', async () => {
    const stream = await world.subscriber();
    const posts = await world.httpSubscriber();
    const away = await world.httpSubscriber();
    posts.behaviour.answer = () => ({ status: 503 });
    const ids = await Promise.all(
      [stream, posts, away].map((each) => world.subscribe(webhooks, each, { events: ['Push Sent'] })),
    );
    for (const each of [stream, away]) each.down();
    await world.sent(await world.message(), seqsUpTo(300));
    for (let minute = 0; minute < 8; minute++) {
      await world.settle(webhooks);
      world.clock.advance(MINUTE_MS);
    }
    expect(await deferred()).toBe(0);
    for (const each of [stream, away]) await each.up();
    posts.behave();
    await passUntil(() => [stream, posts, away].every((each) => each.acknowledged().size === 300));
    expect((await Promise.all(ids.map(viewOf))).map(({ deferredEvents }) => deferredEvents)).toEqual([0, 0, 0]);
  });

  it('let newer ones overtake, although a full window of them is refused by whole posts only', async () => {
    await world.subscribe(webhooks, await byStatus(world, choosy), { events: ['Push Sent'] });
    choosy.answerTo = (hwid) => (numberOf(hwid) < 1_000 ? 'no' : 'ok');
    const message = await world.message();
    await world.sent(message, seqsUpTo(1_010));
    await passUntil(() => choosy.devices().size === 10);
  });

  it('are given up after 72 hours, and let the next of their device continue', async () => {
    const subscriber = await overGrpc(world, choosy);
    const id = await world.subscribe(webhooks, subscriber);
    choosy.answerTo = (hwid) => (hwid === 'hwid-1' ? 'no' : 'ok');
    const message = await world.message();
    await world.sent(message, [1, 2]);
    await passUntil(async () => (await viewOf(id)).deferredEvents === 1);
    world.clock.advance(36 * 60 * MINUTE_MS);
    await world.report('opened', message, [1, 2]);
    await passUntil(async () => (await viewOf(id)).deferredEvents === 3);
    world.clock.advance(36 * 60 * MINUTE_MS);
    choosy.answerTo = () => 'ok';
    await passUntil(() => choosy.acked().length === 5);
    expect(choosy.acked().filter((event) => event.endsWith('hwid-1'))).toEqual([
      'Push Delivered hwid-1',
      'Push Opened hwid-1',
    ]);
    expect(await world.metrics.metrics()).toContain('tidings_webhooks_events_total{end="given_up"} 1');
  });

  it('are removed with their subscription, and with their application', async () => {
    const choices = { events: ['Push Sent'] };
    const ids = await Promise.all(
      [1, 2].map(async () => world.subscribe(webhooks, await overGrpc(world, choosy), choices)),
    );
    choosy.answerTo = () => 'no';
    const message = await world.message();
    await world.sent(message, seqsUpTo(5));
    await passUntil(async () => (await deferred()) === 10);
    await webhooks.subscriptions.delete({ id: ids[0]! });
    await until(async () => (await deferred()) === 5);
    await world.purged(message);
    await until(async () => (await deferred()) === 0);
  });

  it('are removed when their subscription begins anew', async () => {
    const id = await world.subscribe(webhooks, await overGrpc(world, choosy), { events: ['Push Sent'] });
    choosy.answerTo = () => 'no';
    await world.sent(await world.message(), seqsUpTo(5));
    await passUntil(async () => (await viewOf(id)).deferredEvents === 5);
    const unchanged = { events: undefined, applications: undefined, platforms: undefined, messageCodes: undefined };
    const change = (enabled: boolean) =>
      webhooks.subscriptions.change({ ...unchanged, id, enabled, endpoint: undefined, campaigns: undefined });
    await change(false);
    world.clock.advance(60);
    await change(true);
    choosy.answerTo = () => 'ok';
    await world.sent(await world.message(), [7]);
    await passUntil(() => choosy.acked().length > 0);
    world.clock.advance(MINUTE_MS);
    await world.settle(webhooks);
    expect(choosy.acked()).toEqual(['Push Sent hwid-7']);
    await passUntil(async () => (await viewOf(id)).deferredEvents === 0);
    await until(async () => (await deferred()) === 0, { timeoutMs: 90_000 });
  });
});
