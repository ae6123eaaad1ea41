import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { WORKER_LEASE_MS } from '@tidings/delivery';
import {
  casesOf,
  drawn,
  type Moments,
  openSlices,
  type PopulationProvider,
  runFaultScenario,
  UNDER_WAY,
} from '@tidings/testing';
import { MongoClient } from 'mongodb';
import type { ClusterUnderTest } from './testing/populated.ts';

const { seed, draw } = drawn('takeovers');

const FROZEN_MS = WORKER_LEASE_MS + 5_000;
const SLOW_MS = 1_000;
const CHECK_INTERVAL_MS = 50;

export function takeoverFeatures(test: ClusterUnderTest): void {
  describe('the second dispatcher of a channel', () => {
    let mongo: MongoClient;
    beforeAll(async () => void (mongo = await MongoClient.connect(test.world.cluster.mongoUrl)));
    afterAll(() => mongo?.close());

    const pushes = (provider: PopulationProvider): number => {
      const { accepted, refused } = test.world.simulators.ledger.of(provider).summary();
      return accepted + refused;
    };
    const workers = async (channel: string): Promise<string[]> => {
      const alive = { _id: new RegExp(`^${channel}/broadcast/`), until: { $gt: new Date() } };
      const found = await mongo
        .db('tidings_dispatcher')
        .collection<{ _id: string }>('workerLeases')
        .find(alive)
        .toArray();
      return found.map(({ _id }) => _id);
    };

    it.each(casesOf(['apns', 'fcm'] as const, 1, draw))(
      'takes over open slices while the processes of %s are killed in turn',
      async (channel) => {
        const { world, population } = test;
        const [one, other] = world.cluster.of(`dispatcher.${channel}`);
        const kills = [one!, other!, one!, other!];
        const shares = kills.map((_, i) => (i + draw()) / 5);
        const inject = async ({ reached, recordGivenUp }: Moments): Promise<void> => {
          for (const [i, member] of kills.entries()) {
            await reached(shares[i]!);
            await recordGivenUp();
            await member.kill();
            await world.cluster.start([member]);
          }
        };
        const broken = await runFaultScenario(world, population, {
          title: `dispatcher.${channel}-0 and -1 killed in turn at ${shares.map((share) => Math.round(share * 100)).join(', ')} %`,
          share: shares[0]!,
          inject,
          seed,
          allowed: { [channel]: kills.length * UNDER_WAY },
        });
        expect(broken).toEqual([]);
      },
    );

    it.each(casesOf(['apns', 'fcm'] as const, 1, draw))(
      'takes over open slices while the first one of %s is frozen, which sends no more of them after its thaw',
      async (channel) => {
        const { world, population } = test;
        await world.simulators.faults.set(channel, { latencyMs: SLOW_MS });
        const members = world.cluster.of(`dispatcher.${channel}`);
        let before = await workers(channel);
        // A worker that the previous test killed keeps its lease for up to 15 s.
        for (; before.length !== members.length; before = await workers(channel)) await delay(CHECK_INTERVAL_MS);
        let frozenWith = 0;
        let atThaw = 0;
        let after: readonly string[] = [];
        const broken = await runFaultScenario(world, population, {
          title: `a dispatcher of ${channel} frozen for ${FROZEN_MS / 1000} s`,
          share: 0.1 + 0.3 * draw(),
          async inject({ closed }) {
            const open = await openSlices(world.cluster, channel);
            const member = members[open[0]! >= open[1]! ? 0 : 1]!;
            member.freeze();
            frozenWith = Math.max(...open);
            await Promise.all([closed(), delay(FROZEN_MS)]);
            atThaw = pushes(channel);
            member.thaw();
            for (; after.length < before.length; after = await workers(channel)) await delay(CHECK_INTERVAL_MS);
          },
          allowed: { [channel]: UNDER_WAY },
          seed,
        });
        expect(broken).toEqual([]);
        expect(frozenWith).toBeGreaterThan(0);
        expect(pushes(channel)).toBe(atThaw);
        // Under the old worker id its slices would look alive.
        expect(after.filter((worker) => before.includes(worker))).toHaveLength(before.length - 1);
        await world.simulators.faults.set(channel, { latencyMs: 30 });
        const next = { title: `${channel} after that`, share: 0, inject: async () => undefined, seed };
        expect(await runFaultScenario(world, population, next)).toEqual([]);
      },
    );
  });
}
