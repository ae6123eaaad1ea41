import { describe, expect, it } from '@jest/globals';
import { type Drawn, drawn, faultOutcome, Load, POPULATION_TIMEOUT_MS, processHealth } from '@tidings/testing';
import type { ClusterUnderTest } from './testing/populated.ts';
import { allowedBy, type EndedFault, injectDrawn } from './testing/drawn-faults.ts';
import { record } from './testing/chaos-ledger.ts';

const ROUNDS = Number(process.env['CHAOS_ROUNDS'] ?? 1);
const FAULTS = Number(process.env['CHAOS_FAULTS'] ?? 3);
const TIMEOUT_MS = POPULATION_TIMEOUT_MS + FAULTS * 60_000;

export function chaosFeatures(test: ClusterUnderTest): void {
  const { seed, draw }: Drawn = drawn('faults in a row');

  describe('faults in a row', () => {
    it.each(Array.from({ length: ROUNDS }, (_, i) => i + 1))(
      'lose nothing in round %i, and cause repeats only to devices under way, with masks',
      async (round) => {
        const { world, population } = test;
        const faults: EndedFault[] = [];
        let load: Load | undefined;
        const outcome = await faultOutcome(world, population, {
          title: `faults in a row, round ${round}`,
          share: 1 / population.all,
          seed,
          async inject({ reached, recordGivenUp }) {
            load = await Load.during(world, population, async () => {
              for (let i = 0; i < FAULTS; i++) {
                await reached((i + draw()) / (FAULTS + 1));
                await recordGivenUp();
                faults.push(await injectDrawn(world, draw));
                process.stderr.write(`  ${faults.at(-1)!.kind}: ${faults.at(-1)!.name}\n`);
              }
            });
            return allowedBy(faults);
          },
        });
        const broken = [...outcome.broken, ...(await load!.broken())];
        const { registered, sent, refused } = load!.counts;
        await record({
          seed,
          round,
          devices: population.all,
          faults,
          outcome,
          calls: { acknowledged: registered + sent, refused },
          lost: broken.length,
          health: await processHealth(world.cluster),
        });
        expect(broken).toEqual([]);
      },
      TIMEOUT_MS,
    );
  });
}
