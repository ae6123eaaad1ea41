import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startMongod } from '@tidings/local-servers';
import { type Figure, format, median, spreadOf } from './lib/figure.ts';
import { inWords, mediansOf, total } from './lib/parts.ts';
import { startProgram } from './lib/processes.ts';
import type { InboxReads } from './programs/inbox.ts';

const DEVICES = process.env['INBOX_DEVICES'] ?? '1000000';
const BROADCASTS = process.env['INBOX_BROADCASTS'] ?? '200';

export async function measure(): Promise<Figure> {
  const folder = await mkdtemp(join(tmpdir(), 'tidings-bench-'));
  const mongod = await startMongod(folder);
  try {
    const args = [mongod.url, String(mongod.pid), DEVICES, BROADCASTS];
    const { ready } = await startProgram<InboxReads>('bench/programs/inbox.ts', args);
    const { ours, found, first, coldMs } = ready;
    const ratios = ours.map((parts, i) => total(parts) / total(found[i]!));
    return {
      id: 'inbox',
      title: 'reading an inbox vs an indexed find of its entries',
      measures: [
        {
          title: `${BROADCASTS} broadcasts, ${DEVICES} devices`,
          value: median(ratios),
          unit: 'x',
          floor: { most: 3 },
          spread: spreadOf(ratios),
          details: {
            ours: inWords(mediansOf(ours), 'µs'),
            find: inWords(mediansOf(found), 'µs'),
            'first read of a user': inWords(first, 'µs'),
            'first read after a start': `${format(coldMs)} ms`,
          },
        },
      ],
    };
  } finally {
    await mongod.stop();
    await rm(folder, { recursive: true, force: true });
  }
}
