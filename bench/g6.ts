import { type Figure, median, overRounds, ratio } from './lib/figure.ts';
import { inWords, mediansOf, type Parts, total } from './lib/parts.ts';
import { runWithStore } from './lib/run-with-store.ts';
import type { Scans } from './programs/scanning.ts';

/** CPU time is counted in hundredths of a second: smaller times are raised to this. */
const LEAST_MICROS = 10_000;

export async function measure(): Promise<Figure> {
  const { scan, driver, segments } = await runWithStore<Scans>('bench/programs/scanning.ts');
  const inProcess = (parts: Parts): number => parts['scan']!;
  const micros = (rounds: readonly Parts[]): number => Math.max(LEAST_MICROS, median(rounds.map(total)));
  const plans = segments.map(({ title, chosen, best }) => ({ title, times: micros(chosen) / micros(best), chosen }));
  const worst = plans.reduce((most, each) => (each.times > most.times ? each : most));
  return {
    id: 'G6',
    title: 'segments',
    measures: [
      {
        title: 'audience scan vs driver decode',
        ...ratio(driver.map(inProcess), scan.map(inProcess)),
        floor: { least: 1 },
        goal: { least: 2.5 },
        details: { ours: inWords(mediansOf(scan), 'µs'), driver: inWords(mediansOf(driver), 'µs') },
      },
      {
        title: 'any plan vs the best hinted one, time',
        ...overRounds(plans.map(({ times }) => times)),
        value: worst.times,
        unit: 'x',
        floor: { most: 3 },
        goal: { most: 1.5 },
        details: Object.fromEntries(
          plans.map(({ title, times, chosen }) => [
            title,
            `${times.toFixed(2)} x, ${(micros(chosen) / 1000).toFixed(0)} ms`,
          ]),
        ),
      },
    ],
  };
}
