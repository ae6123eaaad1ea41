import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { describeWithMongo, until } from '@tidings/testing';
import { links, type LinkedSubscriber, subscribeOver } from './testing/linked-subscribers.ts';
import { seqsUpTo, World } from './testing/webhooks-world.ts';
import type { WebhooksService } from './webhooks.ts';

const KILLS = process.env['FULL'] === '1' ? 100 : 12;
const DEVICES = 6;
const NAMES = ['Push Sent', 'Push Delivered', 'Push Opened'];
/** The longest wait before a resend or a reopened stream (R-EV5). */
const LONGEST_WAIT_MS = 60_000;

/** Acknowledged, but sent again on the same connection: only a lost connection loses answers. */
function needlessRepeats({ receipts }: LinkedSubscriber): string[] {
  const acknowledged = new Set<string>();
  return receipts.flatMap(({ uuid, connection, isAcked }) => {
    const key = `${uuid} ${connection}`;
    if (acknowledged.has(key)) return [key];
    if (isAcked) acknowledged.add(key);
    return [];
  });
}

function overtakers({ receipts }: LinkedSubscriber): string[] {
  const acknowledged = new Set<string>();
  return receipts.flatMap(({ hwid, name, isAcked }) => {
    const former = NAMES.slice(0, NAMES.indexOf(name));
    const early = former.some((each) => !acknowledged.has(`${each} ${hwid}`)) ? [`${name} ${hwid}`] : [];
    if (isAcked) acknowledged.add(`${name} ${hwid}`);
    return early;
  });
}

describeWithMongo('faults of subscribers (reliability 3, T10)', (mongo) => {
  let world: World;
  let webhooks: WebhooksService;

  beforeEach(async () => {
    world = await new World(mongo).open();
    webhooks = await world.webhooks();
  });
  afterEach(() => world.close());

  describe.each(Object.keys(links) as (keyof typeof links)[])('%s', (link) => {
    it(`survive ${KILLS} kills: every event is acknowledged, in the order of its device, and repeated only until then`, async () => {
      const subscriber = await subscribeOver(link, world, webhooks);
      const message = await world.message();
      for (let kill = 0; kill < KILLS; kill++) {
        const seqs = seqsUpTo((kill + 1) * DEVICES).slice(kill * DEVICES);
        const killed = subscriber.killedAt(1 + ((kill * 7) % (NAMES.length * DEVICES)));
        await world.sent(message, seqs);
        await world.report('opened', message, seqs);
        await killed;
        await world.settle(webhooks);
        await subscriber.revive();
        world.clock.advance(LONGEST_WAIT_MS);
      }
      const events = KILLS * DEVICES * NAMES.length;
      await until(async () => {
        await world.settle(webhooks);
        world.clock.advance(LONGEST_WAIT_MS);
        return subscriber.acknowledged().size === events;
      });
      expect(needlessRepeats(subscriber)).toEqual([]);
      expect(overtakers(subscriber)).toEqual([]);

      await world.settle(webhooks);
      const arrived = subscriber.receipts.length;
      const killed = subscriber.killedAt(1);
      await world.sent(message, [KILLS * DEVICES]);
      await killed;
      await subscriber.revive();
      await until(async () => {
        world.clock.advance(LONGEST_WAIT_MS);
        await world.settle(webhooks);
        return subscriber.acknowledged().size === events + 1;
      });
      const later = subscriber.receipts.slice(arrived).map(({ hwid }) => hwid);
      expect(new Set(later)).toEqual(new Set([`hwid-${KILLS * DEVICES}`]));
    });

    it('receive at most 1000 events without an answer, and delay no other while they are slow or silent', async () => {
      const COUNT = 1500;
      const [swift, slow, silent] = await Promise.all([
        subscribeOver(link, world, webhooks),
        subscribeOver(link, world, webhooks),
        subscribeOver(link, world, webhooks),
      ]);
      silent.isSilent = true;
      slow.transport.read(false);
      slow.transport.slow(1);
      await world.sent(await world.message(), seqsUpTo(COUNT));
      await until(() => swift.acknowledged().size === COUNT);
      expect(swift.receipts).toHaveLength(COUNT);
      expect(silent.receipts.length).toBeGreaterThan(0);
      expect(silent.receipts.length).toBeLessThanOrEqual(1000);

      slow.transport.read(true);
      await until(() => slow.acknowledged().size === COUNT);
      expect(slow.receipts).toHaveLength(COUNT);
      expect(await unacknowledged(world, silent.subscription)).toBeLessThanOrEqual(1000);
    });
  });
});

/** Five numbers of 8 bytes for each event. */
async function unacknowledged({ db }: World, subscription: string): Promise<number> {
  const stream = await db
    .collection<{ _id: string; open: { length(): number } }>('streams')
    .findOne({ _id: subscription });
  return stream!.open.length() / 40;
}
