import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startMongod } from '@tidings/local-servers';
import { type Figure, format, median, spreadOf } from './lib/figure.ts';
import { inWords, mediansOf, total } from './lib/parts.ts';
import { startProgram } from './lib/processes.ts';
import type { StreamRounds } from './programs/event-stream.ts';

const EVENTS = process.env['G9_EVENTS'] ?? '30000';

export async function measure(): Promise<Figure> {
  const folder = await mkdtemp(join(tmpdir(), 'tidings-bench-'));
  const mongod = await startMongod(folder);
  const subscriber = await startProgram<number>('bench/programs/subscriber.ts');
  try {
    const argv = [mongod.url, String(mongod.pid), String(subscriber.ready), EVENTS];
    const { streamed, bare, rates, bytes } = (await startProgram<StreamRounds>('bench/programs/event-stream.ts', argv))
      .ready;
    const ratios = streamed.map((parts, i) => total(bare[i]!) / total(parts));
    return {
      id: 'G9',
      title: 'event stream vs bare grpc-js',
      measures: [
        {
          title: '',
          value: median(ratios),
          unit: 'x',
          floor: { least: 0.5 },
          goal: { least: 0.9 },
          spread: spreadOf(ratios),
          details: {
            ours: inWords(mediansOf(streamed), 'µs'),
            theirs: inWords(mediansOf(bare), 'µs'),
            rate: `${format(median(rates))} events/s`,
            event: `${bytes} bytes`,
          },
        },
      ],
    };
  } finally {
    await subscriber.stop();
    await mongod.stop();
    await rm(folder, { recursive: true, force: true });
  }
}
