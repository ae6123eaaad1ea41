import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import {
  casesOf,
  type ClusterWorld,
  describeWithReplicaSet,
  drawn,
  Load,
  POPULATION_TIMEOUT_MS,
  populatedCluster,
  type Population,
  runFaultScenario,
} from '@tidings/testing';

const START_TIMEOUT_MS = 600_000;
/** Longer than an election takes, and clients to find the new primary. */
const ELECTED_MS = 10_000;
/** Longer than the others wait for a frozen member of MongoDB 4.0. */
const WITHOUT_FROZEN_MS = 40_000;
const { seed, draw } = drawn('kills of the primary of MongoDB');

jest.setTimeout(POPULATION_TIMEOUT_MS);

describeWithReplicaSet('the distributed system on three members of MongoDB', (set) => {
  let world: ClusterWorld;
  let population: Population;

  beforeAll(async () => {
    ({ world, population } = await populatedCluster({ simulators: { keepPayloads: true }, mongoUrl: set.url }));
  }, START_TIMEOUT_MS);
  afterAll(() => world?.stop());

  it.each(casesOf(['dies for good', 'is frozen'], 1, draw))(
    'has exactly one outcome for every device of a broadcast amid which the primary %s',
    async (what) => {
      const primary = await set.primary();
      const dies = what === 'dies for good';
      let load: Load | undefined;
      try {
        const broken = await runFaultScenario(world, population, {
          title: `primary of MongoDB ${what}`,
          async inject() {
            load = await Load.during(world, population, async () => {
              if (dies) await primary.kill();
              else process.kill(primary.pid, 'SIGSTOP');
              await delay(dies ? ELECTED_MS : WITHOUT_FROZEN_MS);
            });
          },
          share: 0.1 + 0.6 * draw(),
          seed,
        });
        expect([...broken, ...((await load?.broken()) ?? [])]).toEqual([]);
      } finally {
        if (dies) await primary.restart();
        else process.kill(primary.pid, 'SIGCONT');
      }
    },
  );
});
