import type { LedgerEntry } from '../ledger/entries.ts';
import { escaped, pageOf, shownTime, tableOf } from './html.ts';

interface Recorded {
  readonly from?: string;
  readonly text?: string;
  readonly body?: string;
  readonly part?: number;
  readonly parts?: number;
  readonly media?: readonly string[];
}

const NO_SMS = '<p>No SMS yet. Start Tidings with the SMPP_URL of this server.</p>';

/** The last SMS first; each part of a long text. */
export function smsList(entries: readonly LedgerEntry[]): string {
  const rows = entries
    .toSorted((a, b) => b.at - a.at)
    .map(({ at, token, payload = '{}' }) => {
      const { from = '', text, body = '', part = 1, parts = 1, media = [] } = JSON.parse(payload) as Recorded;
      const content = [text ?? body, ...media].join('\n');
      const shown = `<pre>${escaped(content)}</pre>`;
      return [shownTime(at), escaped(token), escaped(from), parts > 1 ? `${part} of ${parts}` : '', shown];
    });
  return pageOf('SMS', rows.length === 0 ? NO_SMS : tableOf(['UTC', 'to', 'from', 'part', 'text'], rows));
}
