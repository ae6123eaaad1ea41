import { type Figure, format, ratio } from './lib/figure.ts';
import { inWords, mediansOf, total } from './lib/parts.ts';
import { runWithStore } from './lib/run-with-store.ts';
import type { InboxReads } from './programs/inbox.ts';

const DEVICES = process.env['INBOX_DEVICES'] ?? '1000000';
const BROADCASTS = process.env['INBOX_BROADCASTS'] ?? '200';

export async function measure(): Promise<Figure> {
  const reads = await runWithStore<InboxReads>('bench/programs/inbox.ts', [DEVICES, BROADCASTS]);
  const { ours, found, first, coldMs } = reads;
  return {
    id: 'inbox',
    title: 'reading an inbox vs an indexed find of its entries',
    measures: [
      {
        title: `${BROADCASTS} broadcasts, ${DEVICES} devices`,
        ...ratio(ours.map(total), found.map(total)),
        floor: { most: 3 },
        details: {
          ours: inWords(mediansOf(ours), 'µs'),
          find: inWords(mediansOf(found), 'µs'),
          'first read of a user': inWords(first, 'µs'),
          'first read after a start': `${format(coldMs)} ms`,
        },
      },
    ],
  };
}
