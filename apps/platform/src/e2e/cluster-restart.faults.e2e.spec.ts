import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import {
  casesOf,
  type ClusterWorld,
  type Population,
  POPULATION_TIMEOUT_MS,
  populatedCluster,
  devicesGivenUp,
  drawn,
  Load,
  runFaultScenario,
} from '@tidings/testing';

const { seed, draw } = drawn('moments of restarts');

jest.setTimeout(2.5 * POPULATION_TIMEOUT_MS);

describe('a rolling restart of everything under load', () => {
  let world: ClusterWorld;
  let population: Population;
  beforeAll(async () => void ({ world, population } = await populatedCluster()), 600_000);
  afterAll(() => world?.stop());

  it('has no visible effect: no reply of 500, nothing lost, and nothing sent twice', async () => {
    const codes = new Map<string, unknown>();
    let longestMs = 0;
    let load: Load | undefined;
    const allowed = { apns: 0, fcm: 0 };
    const broken = await runFaultScenario(world, population, {
      ...{ round: 1, title: 'processes restarted', share: 0.05, allowed, seed },
      async inject() {
        load = new Load(world, population.applications[0]!, population.named(10));
        await load.under();
        for (const member of casesOf(world.cluster.members, 8, draw)) {
          for (const channel of ['apns', 'fcm'] as const) {
            allowed[channel] += await devicesGivenUp(world.cluster, member, channel);
          }
          const startedAt = performance.now();
          // Exit code 0: everything closed within the limit of 24 seconds.
          codes.set(member.name, await member.stop());
          longestMs = Math.max(longestMs, performance.now() - startedAt);
          await world.cluster.start([member]);
        }
        await load.stop();
      },
    });
    const { registered, sent, refused } = load!.counts;
    process.stderr.write(
      `${codes.size} processes restarted, drained within ${(longestMs / 1000).toFixed(1)} s: ${registered} registrations, ` +
        `${sent} messages, ${load!.faults.length} answers of 500, ${refused} calls without an answer\n`,
    );
    expect([...codes].filter(([, code]) => code !== 0)).toEqual([]);
    expect(load!.faults).toEqual([]);
    expect([...broken, ...(await load!.broken())]).toEqual([]);
  });
});
