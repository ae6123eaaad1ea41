import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import {
  casesOf,
  type ClusterWorld,
  describeWithOwnKafka,
  drawn,
  Load,
  POPULATION_TIMEOUT_MS,
  populatedCluster,
  type Population,
  runFaultScenario,
} from '@tidings/testing';

const START_TIMEOUT_MS = 600_000;
/** Longer than Kafka takes to reassign a dead node's partitions. */
const NOTICED_MS = 10_000;
const { seed, draw } = drawn('kills of nodes of Kafka');

jest.setTimeout(POPULATION_TIMEOUT_MS);

describeWithOwnKafka(
  'the distributed system on three nodes of Kafka',
  (kafka) => {
    let world: ClusterWorld;
    let population: Population;

    beforeAll(async () => {
      const { brokers: kafkaBrokers } = kafka;
      ({ world, population } = await populatedCluster({ simulators: { keepPayloads: true }, kafkaBrokers }));
    }, START_TIMEOUT_MS);
    afterAll(() => world?.stop());

    it.each(casesOf([1, 2, 3], 1, draw))(
      'has exactly one outcome for every device of a broadcast amid which node %i is killed permanently',
      async (number) => {
        const node = kafka.nodes[number - 1]!;
        let load: Load | undefined;
        try {
          const broken = await runFaultScenario(world, population, {
            title: `node ${number} of Kafka killed`,
            async inject() {
              load = await Load.during(world, population, async () => {
                await node.kill();
                await delay(NOTICED_MS);
              });
            },
            share: 0.1 + 0.6 * draw(),
            seed,
          });
          expect([...broken, ...((await load?.broken()) ?? [])]).toEqual([]);
        } finally {
          await node.restart();
        }
      },
    );
  },
  { nodes: 3 },
);
