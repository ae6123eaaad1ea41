import { type Figure, format, median, ratio } from './lib/figure.ts';
import { inWords, mediansOf, total } from './lib/parts.ts';
import { runWithStore } from './lib/run-with-store.ts';
import type { FunnelReads } from './programs/funnel.ts';

const DEVICES = process.env['FUNNEL_DEVICES'] ?? '1000000';

export async function measure(): Promise<Figure> {
  const reads = await runWithStore<FunnelReads>('bench/programs/funnel.ts', [DEVICES]);
  const { counted, read, milliseconds, documents, bytes } = reads;
  const ms = median(milliseconds);
  return {
    id: 'funnel',
    title: 'the funnel of a message vs reading its documents',
    measures: [
      {
        title: `${DEVICES} devices`,
        ...ratio(counted.map(total), read.map(total)),
        floor: { most: 20 },
        details: {
          ours: inWords(mediansOf(counted), 'µs'),
          read: inWords(mediansOf(read), 'µs'),
          'a funnel': `${format(ms)} ms, ${format(1000 / ms)} /s one after the other`,
          documents: `${documents}, ${Math.round(bytes / 1024)} KiB`,
        },
      },
    ],
  };
}
