import { type Figure, format, median, ratio } from './lib/figure.ts';
import { inWords, mediansOf, total } from './lib/parts.ts';
import { startProgram } from './lib/processes.ts';
import { runWithStore } from './lib/run-with-store.ts';
import type { StreamRounds } from './programs/event-stream.ts';

const EVENTS = process.env['G9_EVENTS'] ?? '30000';

export async function measure(): Promise<Figure> {
  const subscriber = await startProgram<number>('bench/programs/subscriber.ts');
  try {
    const args = [String(subscriber.ready), EVENTS];
    const { streamed, bare, rates, bytes } = await runWithStore<StreamRounds>('bench/programs/event-stream.ts', args);
    return {
      id: 'G9',
      title: 'event stream vs bare grpc-js',
      measures: [
        {
          title: '',
          ...ratio(bare.map(total), streamed.map(total)),
          floor: { least: 0.5 },
          goal: { least: 0.9 },
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
  }
}
