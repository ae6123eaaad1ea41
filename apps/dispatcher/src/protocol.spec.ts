import { describe, expect, it } from '@jest/globals';
import { SendSimulation } from './testing/send-simulation.ts';

const RUNS = Number(process.env['TIDINGS_SIM_RUNS'] ?? 12);
const SEED = Number(process.env['TIDINGS_SIM_SEED'] ?? 1);

describe('the send protocol under kills, freezes and steps of the clock', () => {
  it.each([
    ['repeats what is ambiguous', false, false],
    ['gives up what is ambiguous with at most once', true, false],
    ['writes nothing a second after a stop', false, true],
    ['writes nothing a second after a stop with at most once', true, true],
  ])(
    '%s',
    async (_, atMostOnce, isStopped) => {
      const wrong: string[] = [];
      const total: Record<string, number> = {};
      for (let run = 0; run < RUNS; run++) {
        const seed = SEED * 100_003 + run;
        const { errors, stats } = await new SendSimulation(seed, atMostOnce, isStopped).run();
        wrong.push(...errors.slice(0, 4).map((error) => `seed ${seed}: ${error}`));
        for (const [name, count] of Object.entries(stats)) total[name] = (total[name] ?? 0) + count;
      }
      expect(wrong).toEqual([]);
      expect(total['kills']! + total['freezes']!).toBeGreaterThan(4 * RUNS);
      for (const stat of ['steps', 'deferred', 'parts', 'late', 'throttled', 'unready', 'forgotten'])
        expect(total[stat]).toBeGreaterThan(0);
      expect(total['stopped']! > 0).toBe(isStopped);
      // oxlint-disable-next-line no-console -- wanted when many runs are asked for
      if (process.env['TIDINGS_SIM_RUNS']) console.log({ atMostOnce, isStopped, runs: RUNS, ...total });
    },
    600_000,
  );
});
