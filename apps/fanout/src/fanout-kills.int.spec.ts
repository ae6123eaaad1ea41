import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from '@jest/globals';
import { decodeBadges, SLICE_SIZE } from '@tidings/delivery';
import { PlanEvent, topicNames } from '@tidings/events';
import { Bitmap, seqOf } from '@tidings/kernel';
import { BADGE_BLOCKS, badgesOf, type PlanDocument, plannedOf } from '@tidings/registry-store';
import { device, even, selection, named } from '@tidings/registry-store/testing';
import type { Broker } from '@tidings/streaming';
import { describeWithMongo } from '@tidings/testing';
import type { Binary, Db } from 'mongodb';
import type { BadgeBlockDocument } from './plan/badge-blocks.ts';
import { badgeContent } from './testing/badge-log.ts';
import type { FakeDispatchers } from './testing/fake-dispatchers.ts';
import { addApplication, fanoutWorlds, settle } from './testing/fanout-world.ts';
import { Killer } from './testing/killer.ts';
import { newMessage, release } from './testing/fanout-messages.ts';

/** It has one chunk of few devices, which is planned on release. */
const SMALL = 'SSSSS-SMALL';

const randomFrom = (seed: number) => (): number => {
  seed = (seed + 0x6d2b79f5) | 0;
  let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
  return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
};

const commitsOf = async (db: Db, category: string): Promise<PlanEvent[]> => {
  const commits = await db.collection<{ events: Binary[] }>(`${category}.commits`).find().toArray();
  return commits.flatMap(({ events }) => events.map((bytes) => PlanEvent.decode(bytes.buffer)));
};

async function collectPlans(broker: Broker): Promise<Map<string, PlanEvent>> {
  const events = new Map<string, PlanEvent>();
  await broker.subscribe({
    group: 'spec',
    topics: [topicNames.plans],
    handler: async ({ records }) => {
      for (const { value } of records) {
        const event = PlanEvent.decode(value);
        events.set(`${event.stamp!.log}/${event.stamp!.position}/${event.stamp!.index}`, event);
      }
    },
  });
  return events;
}

function badgesOfSlices({ batches }: FakeDispatchers): ReadonlySet<number> {
  const shown = new Map<string, Set<string>>();
  for (const { message, chunk, platform, slices, badges } of batches) {
    for (const { number, first, count } of slices) {
      const id = `${message}/${chunk}/${platform}/${number}`;
      const own = Buffer.from(badges).subarray(4 * first, 4 * (first + count));
      shown.set(id, (shown.get(id) ?? new Set()).add(own.toString('hex')));
    }
  }
  return new Set(Array.from(shown.values(), ({ size }) => size));
}

async function expectCounted(db: Db, plans: readonly PlanDocument[]): Promise<void> {
  const counted = new Map<string, number>();
  for (const plan of plans) {
    const [, , application, chunk] = plan._id.split('/');
    const set = badgesOf(plan)?.set ?? Buffer.alloc(0);
    for (const position of Bitmap.decode(set).positions()) {
      const id = `${application}/${chunk}/${position}`;
      counted.set(id, (counted.get(id) ?? 0) + 1);
    }
  }
  const stored = new Map<string, number>();
  for (const { _id, rows } of await db
    .collection<BadgeBlockDocument & { _id: string }>(BADGE_BLOCKS)
    .find()
    .toArray()) {
    for (const [position, { by, open }] of decodeBadges((rows as Binary).buffer)) {
      expect(open).toEqual([]);
      stored.set(`${_id.slice(0, _id.lastIndexOf('/'))}/${position}`, by);
    }
  }
  expect(stored).toEqual(counted);
  expect(stored.size).toBeGreaterThan(1_000);
}

describeWithMongo('fan-out', (mongo) => {
  const world = fanoutWorlds(mongo);
  const some = Array.from({ length: 1200 }, (_, i) => device(i));
  const twoChunks = [...some, ...Array.from({ length: 700 }, (_, i) => device(seqOf(1, i)))];
  const small = Array.from({ length: 600 }, (_, i) => ({ ...device(i), app: SMALL, _id: `${SMALL}:${i}` }));

  it('plans every device once and settles every slice, wherever it is killed', async () => {
    const rounds = Number(process.env['FANOUT_KILLS'] ?? 8);
    const first = Number(process.env['FANOUT_SEED'] ?? 1);
    const seeds = Array.from({ length: rounds }, (_, i) => first + i);
    // A round mostly waits for leases of dead processes, so some run in parallel.
    const lane = async (): Promise<void> => {
      for (let seed = seeds.shift(); seed !== undefined; seed = seeds.shift()) await round(seed);
    };
    const round = async (seed: number): Promise<void> => {
      const chance = randomFrom(seed);
      const { db, broker, clock, dispatchers, start, plansOf, close } = await world([...twoChunks, ...small], {
        chance,
      });
      await addApplication(db, SMALL);
      const content = badgeContent('+1');
      const sent = [
        newMessage({ audience: selection(even) }),
        newMessage({ audience: selection(), content }),
        newMessage({ audience: named(1, 2, seqOf(1, 3)), content }),
        newMessage({ audience: named(...Array.from({ length: 300 }, (_, i) => i * 2)) }),
        newMessage({ audience: named(4, 5), content }),
        newMessage({ audience: selection(even), applications: [SMALL], content }),
      ];
      const published = await collectPlans(broker);
      const closing: Promise<void>[] = [];
      const released = clock.date;
      for (const message of sent) await release(broker, message, released);
      for (let run = 0; run < 4; run++) {
        const killer = new Killer(1 + Math.floor(chance() * 25), chance() < 0.5);
        const fanout = await start(killer).catch(() => undefined);
        const until = Date.now() + 400;
        while (!killer.dead && Date.now() < until) {
          await delay(10);
          clock.advance(3);
          await dispatchers.resume();
        }
        killer.dead = true;
        // A dead process closes nothing; the test must close it to end.
        if (fanout) closing.push(fanout.close());
      }
      const fanout = await start();
      await settle(fanout, clock, dispatchers, 4);
      while (
        (await fanout.operations.settled({})).open.length > 0 ||
        (await db.collection('outgoing').countDocuments({ checkAt: { $exists: true } })) > 0
      ) {
        clock.advance(4);
        await dispatchers.resume();
        await delay(15);
      }

      const events = await commitsOf(db, 'plans');
      const badges = events.filter(({ event }) => event?.$case.startsWith('badges'));
      expect(published.size).toBe(events.length - badges.length + (await commitsOf(db, 'fanouts')).length);
      const times = (of: string): Map<string, number> =>
        events
          .filter(({ event }) => event?.$case === of)
          .reduce((all, { message, event }) => {
            const id = `${message}/${(event!.value as { chunk: number }).chunk}`;
            return all.set(id, (all.get(id) ?? 0) + 1);
          }, new Map<string, number>());
      expect([...times('chunk').values()].every((n) => n === 1)).toBe(true);
      expect(times('settled')).toEqual(times('chunk'));
      const splits = [...(await commitsOf(db, 'fanouts')), ...events.filter(({ event }) => event?.$case === 'fanout')];
      expect(splits.map(({ message }) => message).sort()).toEqual(sent.map(({ code }) => code).sort());
      for (const message of sent) {
        const plans = await plansOf(message);
        expect(plans).toHaveLength(sent.indexOf(message) < 3 ? 2 : 1);
        for (const { _id, ...stored } of plans) {
          for (const { platform, set } of plannedOf({ _id, ...stored }).sendable) {
            const members = [...Bitmap.decode(set).positions()];
            const chunk = _id.split('/')[3];
            for (let number = 0; number * SLICE_SIZE < members.length; number++) {
              const emissions = dispatchers.emissions.get(`${message.code}/${chunk}/${platform}/${number}`) ?? [];
              const expected = members.slice(number * SLICE_SIZE, (number + 1) * SLICE_SIZE);
              expect(emissions.length).toBeGreaterThan(0);
              for (const emission of emissions) expect(emission).toEqual(expected);
            }
          }
        }
      }
      expect(badgesOfSlices(dispatchers)).toEqual(new Set([1]));
      await expectCounted(db, (await Promise.all(sent.map(plansOf))).flat());
      await Promise.all(closing);
      await close();
    };
    await Promise.all([lane(), lane(), lane(), lane()]);
  }, 300_000);
});
