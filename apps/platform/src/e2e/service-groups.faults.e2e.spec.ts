import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import {
  casesOf,
  type ClusterWorld,
  drawn,
  Load,
  type Population,
  POPULATION_TIMEOUT_MS,
  populatedCluster,
  runFaultScenario,
  UNDER_WAY,
} from '@tidings/testing';
import { smallGroups } from '@tidings/testing/processes';

jest.setTimeout(POPULATION_TIMEOUT_MS);

const { seed, draw } = drawn('kills of groups');

describe('services in three processes', () => {
  let world: ClusterWorld;
  let population: Population;

  beforeAll(async () => {
    ({ world, population } = await populatedCluster({ groups: smallGroups() }));
  });
  afterAll(() => world?.stop());

  it.each(casesOf(['core', 'delivery'], 1, draw))(
    'end a broadcast with exactly one outcome for every device when %s is killed',
    async (name) => {
      const [member] = world.cluster.of(name);
      const broken = await runFaultScenario(world, population, {
        title: `${name} killed`,
        share: 0.3,
        allowed: name === 'delivery' ? { apns: UNDER_WAY, fcm: UNDER_WAY } : {},
        seed,
        async inject({ recordGivenUp }) {
          await recordGivenUp();
          await member!.kill();
          await world.cluster.start([member!]);
        },
      });
      expect(broken).toEqual([]);
    },
  );

  it('stop in order under load, each within its limit, and lose nothing', async () => {
    const codes: unknown[] = [];
    let load: Load | undefined;
    const broken = await runFaultScenario(world, population, {
      title: 'core and delivery restarted',
      share: 0.05,
      seed,
      async inject({ recordGivenUp }) {
        load = await Load.during(world, population, async () => {
          for (const member of ['core', 'delivery'].flatMap((name) => world.cluster.of(name))) {
            await recordGivenUp();
            codes.push(await member.stop());
            await world.cluster.start([member]);
          }
        });
      },
    });
    expect(codes).toEqual([0, 0]);
    expect([...broken, ...(await load!.broken())]).toEqual([]);
  });
});
