import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startMongod } from '@tidings/local-servers';
import { type Figure, format, median, spreadOf } from './lib/figure.ts';
import { inWords, mediansOf, total } from './lib/parts.ts';
import { startProgram } from './lib/processes.ts';
import type { FunnelReads } from './programs/funnel.ts';

const DEVICES = process.env['FUNNEL_DEVICES'] ?? '1000000';

export async function measure(): Promise<Figure> {
  const folder = await mkdtemp(join(tmpdir(), 'tidings-bench-'));
  const mongod = await startMongod(folder);
  try {
    const argv = [mongod.url, String(mongod.pid), DEVICES];
    const { ready } = await startProgram<FunnelReads>('bench/programs/funnel.ts', argv);
    const { counted, read, milliseconds, documents, bytes } = ready;
    const ratios = counted.map((parts, i) => total(parts) / total(read[i]!));
    const ms = median(milliseconds);
    return {
      id: 'funnel',
      title: 'the funnel of a message vs reading its documents',
      measures: [
        {
          title: `${DEVICES} devices`,
          value: median(ratios),
          unit: 'x',
          floor: { most: 20 },
          spread: spreadOf(ratios),
          details: {
            ours: inWords(mediansOf(counted), 'µs'),
            read: inWords(mediansOf(read), 'µs'),
            'a funnel': `${format(ms)} ms, ${format(1000 / ms)} /s one after the other`,
            documents: `${documents}, ${Math.round(bytes / 1024)} KiB`,
          },
        },
      ],
    };
  } finally {
    await mongod.stop();
    await rm(folder, { recursive: true, force: true });
  }
}
