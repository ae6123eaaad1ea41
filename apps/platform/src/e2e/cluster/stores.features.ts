import { describe, expect, it } from '@jest/globals';
import { casesOf, drawn, Load, runFaultScenario, UNDER_WAY } from '@tidings/testing';
import type { ClusterUnderTest } from './testing/populated.ts';

const { seed, draw } = drawn('kills of stores');

export function storeFeatures(test: ClusterUnderTest): void {
  const kill = async (what: string, allowed: number, inject: () => Promise<void>): Promise<string[]> => {
    const { world, population } = test;
    const share = Math.max(0, 1.1 * draw() - 0.2);
    let load: Load | undefined;
    const broken = await runFaultScenario(world, population, {
      title: `${what} killed at ${Math.round(share * 100)} %`,
      async inject() {
        load = await Load.during(world, population, inject);
      },
      share,
      allowed: { apns: allowed, fcm: allowed },
      seed,
    });
    return [...broken, ...((await load?.broken()) ?? [])];
  };

  describe('a broadcast', () => {
    it.each(casesOf([1, 2], 1, draw))(
      'ends with exactly one outcome for every device when Kafka is killed, time %i: dispatchers remember their sends',
      async () => {
        const inject = async (): Promise<void> => {
          await test.world.cluster.kafka!.kill();
          await test.world.cluster.kafka!.restart();
        };
        expect(await kill('Kafka', 0, inject)).toEqual([]);
      },
    );

    it.each(casesOf([1, 2], 1, draw))(
      'ends with exactly one outcome for every device when MongoDB is killed, time %i: open devices of every dispatcher are in doubt',
      async () => {
        const { mongod, of } = test.world.cluster;
        const inject = async (): Promise<void> => {
          process.kill(mongod!.pid(), 'SIGKILL');
          await mongod!.restart();
        };
        expect(await kill('MongoDB', of('dispatcher.apns').length * UNDER_WAY, inject)).toEqual([]);
      },
    );
  });
}
