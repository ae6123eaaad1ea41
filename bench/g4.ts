import { type Figure, type Measure, ratio } from './lib/figure.ts';
import { inWords, mediansOf, type Parts, total } from './lib/parts.ts';
import { runWithStore } from './lib/run-with-store.ts';
import type { Round } from './programs/projector.ts';

type CostOf = (round: Round) => Parts;

/** Counts reading, decoding, applying, durable writes and offsets, but not publishing. */
export async function measure(): Promise<Figure> {
  const rounds = await runWithStore<Round[]>('bench/programs/projector.ts');
  const compare = (title: string, ours: CostOf, theirs: CostOf): Measure => ({
    title,
    ...ratio(
      rounds.map((round) => total(theirs(round))),
      rounds.map((round) => total(ours(round))),
    ),
    details: {
      ours: inWords(mediansOf(rounds.map(ours)), 'µs'),
      theirs: inWords(mediansOf(rounds.map(theirs)), 'µs'),
    },
  });
  const compareParsing = (title: string, kind: keyof Round['parsing']): Measure =>
    compare(
      `vs consume + parse only${title}`,
      ({ projecting }) => projecting[kind],
      ({ parsing }) => parsing[kind],
    );
  return {
    id: 'G4',
    title: 'projector, redelivery-safe',
    measures: [
      { ...compareParsing('', 'all'), floor: { least: 0.5 }, goal: { least: 0.75 } },
      compareParsing(', sends', 'sends'),
      compareParsing(', reports', 'reports'),
      {
        ...compare(
          'vs an update per event',
          ({ projecting }) => projecting.all,
          ({ updating }) => updating,
        ),
        goal: { least: 25 },
      },
    ],
  };
}
