import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import {
  casesOf,
  type ClusterWorld,
  type Population,
  POPULATION_TIMEOUT_MS,
  populatedCluster,
  drawn,
  Load,
  runFaultScenario,
  UNDER_WAY,
} from '@tidings/testing';

const { seed, draw } = drawn('kills of stores');

jest.setTimeout(POPULATION_TIMEOUT_MS);

describe('a broadcast in the middle of which a store is killed comes to its one end at every device', () => {
  let world: ClusterWorld;
  let population: Population;
  let round = 0;
  beforeAll(async () => void ({ world, population } = await populatedCluster()), 600_000);
  afterAll(() => world?.stop());

  const kill = async (what: string, allowed: number, inject: () => Promise<void>): Promise<string[]> => {
    const share = Math.max(0, 1.1 * draw() - 0.2);
    let load: Load | undefined;
    const broken = await runFaultScenario(world, population, {
      round: ++round,
      title: `${what} killed at ${Math.round(share * 100)} %`,
      async inject() {
        load = new Load(world, population.applications[0]!, population.named(10));
        await load.under();
        await inject();
        await load.stop();
      },
      ...{ share, allowed: { apns: allowed, fcm: allowed }, seed },
    });
    return [...broken, ...((await load?.broken()) ?? [])];
  };

  it.each(casesOf([1, 2], 1, draw))('Kafka, time %i: dispatchers remember what they have sent', async () => {
    const inject = async (): Promise<void> => {
      await world.cluster.kafka!.kill();
      await world.cluster.kafka!.restart();
    };
    expect(await kill('Kafka', 0, inject)).toEqual([]);
  });

  it.each(casesOf([1, 2], 1, draw))('MongoDB, time %i: what every dispatcher had under way is in doubt', async () => {
    const { mongod } = world.cluster;
    const inject = async (): Promise<void> => {
      process.kill(mongod!.pid(), 'SIGKILL');
      await mongod!.restart();
    };
    const dispatchers = world.cluster.of('dispatcher.apns').length;
    expect(await kill('MongoDB', dispatchers * UNDER_WAY, inject)).toEqual([]);
  });
});
