import { type Figure, median, overRounds, ratio } from './lib/figure.ts';
import { inWords, mediansOf, total } from './lib/parts.ts';
import { runWithStore } from './lib/run-with-store.ts';
import type { Replays } from './programs/replayer.ts';

/** Some 650,000 events each. */
const BROADCASTS = process.env['REPLAY_BROADCASTS'] ?? '2';

export async function measure(): Promise<Figure> {
  const { events, rounds } = await runWithStore<Replays>('bench/programs/replayer.ts', [BROADCASTS]);
  const [parsing, replaying] = [rounds.map((round) => round.parsing), rounds.map((round) => round.replaying)];
  return {
    id: 'replay',
    title: 'replay of statistics, queries answered',
    measures: [
      {
        title: 'vs consume + parse only',
        ...ratio(parsing.map(total), replaying.map(total)),
        floor: { least: 0.5 },
        details: {
          ours: inWords(mediansOf(replaying), 'µs'),
          theirs: inWords(mediansOf(parsing), 'µs'),
          events: String(events),
        },
      },
      {
        title: 'events a second',
        ...overRounds(rounds.map(({ rate }) => rate)),
        unit: '/s',
        goal: { least: 50_000 },
        details: {
          queries: String(median(rounds.map(({ queries }) => queries))),
          'slowest query': `${Math.round(median(rounds.map(({ slowestMs }) => slowestMs)))} ms`,
        },
      },
    ],
  };
}
