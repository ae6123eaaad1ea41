import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startMongod } from '@tidings/local-servers';
import { type Figure, type Measure, median, spreadOf } from './lib/figure.ts';
import { inWords, mediansOf, type Parts, total } from './lib/parts.ts';
import { startProgram } from './lib/processes.ts';
import type { Round } from './programs/projector.ts';

/** Counts reading, decoding, applying, durable writes and offsets, but not publishing. */
export async function measure(): Promise<Figure> {
  const folder = await mkdtemp(join(tmpdir(), 'tidings-bench-'));
  const mongod = await startMongod(folder);
  try {
    const program = await startProgram<Round[]>('bench/programs/projector.ts', [mongod.url, String(mongod.pid)]);
    const rounds = program.ready;
    const compare = (title: string, ours: (round: Round) => Parts, theirs: (round: Round) => Parts): Measure => {
      const ratios = rounds.map((round) => total(theirs(round)) / total(ours(round)));
      return {
        title,
        value: median(ratios),
        unit: 'x',
        spread: spreadOf(ratios),
        details: {
          ours: inWords(mediansOf(rounds.map(ours)), 'µs'),
          theirs: inWords(mediansOf(rounds.map(theirs)), 'µs'),
        },
      };
    };
    return {
      id: 'G4',
      title: 'projector, redelivery-safe',
      measures: [
        {
          ...compare(
            'vs consume + parse only',
            (round) => round.projecting.all,
            (round) => round.parsing.all,
          ),
          floor: { least: 0.5 },
          goal: { least: 0.75 },
        },
        compare(
          'vs consume + parse only, sends',
          (round) => round.projecting.sends,
          (round) => round.parsing.sends,
        ),
        compare(
          'vs consume + parse only, reports',
          (round) => round.projecting.reports,
          (round) => round.parsing.reports,
        ),
        {
          ...compare(
            'vs an update per event',
            (round) => round.projecting.all,
            (round) => round.updating,
          ),
          goal: { least: 25 },
        },
      ],
    };
  } finally {
    await mongod.stop();
    await rm(folder, { recursive: true, force: true });
  }
}
