import { describe, expect, it } from '@jest/globals';
import { casesOf, drawn, Load, POPULATION_TIMEOUT_MS, runFaultScenario } from '@tidings/testing';
import type { Member } from '@tidings/testing/processes';
import type { ClusterUnderTest } from './testing/populated.ts';

const { seed, draw } = drawn('moments of restarts');

function restarted(members: readonly Member[]): readonly Member[] {
  const chosen = casesOf(members, 4, draw);
  const isGateway = ({ name }: Member): boolean => name.startsWith('gateway');
  return chosen.some(isGateway) ? chosen : [...chosen, ...members.filter(isGateway).slice(0, 1)];
}

const TIMEOUT_MS = 1.5 * POPULATION_TIMEOUT_MS;

export function restartFeatures(test: ClusterUnderTest): void {
  const restartAll = async (): Promise<void> => {
    const { world, population } = test;
    const codes = new Map<string, unknown>();
    let longestMs = 0;
    let load: Load | undefined;
    const broken = await runFaultScenario(world, population, {
      title: 'processes restarted',
      share: 0.05,
      seed,
      async inject({ recordGivenUp }) {
        load = await Load.during(world, population, async () => {
          for (const member of restarted(world.cluster.members)) {
            await recordGivenUp();
            const startedAt = performance.now();
            codes.set(member.name, await member.stop());
            longestMs = Math.max(longestMs, performance.now() - startedAt);
            await world.cluster.start([member]);
          }
        });
      },
    });
    const { registered, sent, refused } = load!.counts;
    process.stderr.write(
      `${codes.size} processes restarted, drained within ${(longestMs / 1000).toFixed(1)} s: ${registered} registrations, ` +
        `${sent} messages, ${load!.faults.length} answers of 500, ${load!.withoutReply.length} calls without an answer, ${refused} connections refused\n`,
    );
    expect([...codes].filter(([, code]) => code !== 0)).toEqual([]);
    // The client repeats calls whose connection was reset or cut.
    expect(load!.faults).toEqual([]);
    expect([...broken, ...(await load!.broken())]).toEqual([]);
  };

  describe('a rolling restart of everything under load', () => {
    it(
      'has no visible effect (T11): no reply of 500, nothing is lost, and nothing is sent twice',
      restartAll,
      TIMEOUT_MS,
    );
  });
}
