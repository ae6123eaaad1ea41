import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startMongod } from '@tidings/local-servers';
import { type Figure, median, spreadOf } from './lib/figure.ts';
import { inWords, mediansOf, type Parts, total } from './lib/parts.ts';
import { startProgram } from './lib/processes.ts';
import type { Scans } from './programs/scanning.ts';

/** CPU time is counted in hundredths of a second: smaller times are raised to this. */
const LEAST_MICROS = 10_000;

export async function measure(): Promise<Figure> {
  const folder = await mkdtemp(join(tmpdir(), 'tidings-bench-'));
  const mongod = await startMongod(folder);
  try {
    const program = await startProgram<Scans>('bench/programs/scanning.ts', [mongod.url, String(mongod.pid)]);
    const { scan, driver, segments } = program.ready;
    const ratios = scan.map((parts, i) => driver[i]!['scan']! / parts['scan']!);
    const micros = (rounds: readonly Parts[]): number => Math.max(LEAST_MICROS, median(rounds.map(total)));
    const plans = segments.map(({ title, chosen, best }) => ({ title, ratio: micros(chosen) / micros(best), chosen }));
    const worst = plans.reduce((most, each) => (each.ratio > most.ratio ? each : most));
    return {
      id: 'G6',
      title: 'segments',
      measures: [
        {
          title: 'audience scan vs driver decode',
          value: median(ratios),
          unit: 'x',
          floor: { least: 1 },
          goal: { least: 2.5 },
          spread: spreadOf(ratios),
          details: { ours: inWords(mediansOf(scan), 'µs'), driver: inWords(mediansOf(driver), 'µs') },
        },
        {
          title: 'any plan vs the best hinted one, time',
          value: worst.ratio,
          unit: 'x',
          floor: { most: 3 },
          goal: { most: 1.5 },
          spread: spreadOf(plans.map(({ ratio }) => ratio)),
          details: Object.fromEntries(
            plans.map(({ title, ratio, chosen }) => [
              title,
              `${ratio.toFixed(2)} x, ${(micros(chosen) / 1000).toFixed(0)} ms`,
            ]),
          ),
        },
      ],
    };
  } finally {
    await mongod.stop();
    await rm(folder, { recursive: true, force: true });
  }
}
