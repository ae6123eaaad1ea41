import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startMongod } from '@tidings/local-servers';
import { type Figure, median, spreadOf } from './lib/figure.ts';
import { inWords, mediansOf, total } from './lib/parts.ts';
import { startProgram } from './lib/processes.ts';
import type { Round } from './programs/replayer.ts';

/** Some 650,000 events each. */
const BROADCASTS = process.env['REPLAY_BROADCASTS'] ?? '2';

export async function measure(): Promise<Figure> {
  const folder = await mkdtemp(join(tmpdir(), 'tidings-bench-'));
  const mongod = await startMongod(folder);
  try {
    const argv = [mongod.url, String(mongod.pid), BROADCASTS];
    const { ready } = await startProgram<{ events: number; rounds: Round[] }>('bench/programs/replayer.ts', argv);
    const { events, rounds } = ready;
    const ratios = rounds.map(({ parsing, replaying }) => total(parsing) / total(replaying));
    const rates = rounds.map(({ rate }) => rate);
    return {
      id: 'replay',
      title: 'replay of statistics, queries answered',
      measures: [
        {
          title: 'vs consume + parse only',
          value: median(ratios),
          unit: 'x',
          spread: spreadOf(ratios),
          floor: { least: 0.5 },
          details: {
            ours: inWords(mediansOf(rounds.map(({ replaying }) => replaying)), 'µs'),
            theirs: inWords(mediansOf(rounds.map(({ parsing }) => parsing)), 'µs'),
            events: String(events),
          },
        },
        {
          title: 'events a second',
          value: median(rates),
          unit: '/s',
          spread: spreadOf(rates),
          goal: { least: 50_000 },
          details: {
            queries: String(median(rounds.map(({ queries }) => queries))),
            'slowest query': `${Math.round(median(rounds.map(({ slowestMs }) => slowestMs)))} ms`,
          },
        },
      ],
    };
  } finally {
    await mongod.stop();
    await rm(folder, { recursive: true, force: true });
  }
}
