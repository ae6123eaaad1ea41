import { type ParsedMail, simpleParser } from 'mailparser';
import type { LedgerEntry } from '../ledger/entries.ts';
import { escaped, pageOf, shownTime, tableOf } from './html.ts';

/** Pictures and own styles only. The sandbox runs no script and opens no window. */
export const MAIL_POLICY =
  "sandbox; default-src 'none'; img-src http: https: data:; style-src 'unsafe-inline'; font-src https: data:";

const NO_MAIL = '<p>No mail yet. Start Tidings with the SMTP_URL of this server.</p>';

const read = ({ payload = '' }: LedgerEntry): Promise<ParsedMail> => simpleParser(payload);

const subjectOf = ({ subject }: ParsedMail): string =>
  subject === undefined || subject === '' ? '(no subject)' : subject;

/** The last mail first. */
export async function mailList(entries: readonly LedgerEntry[]): Promise<string> {
  const rows = await Promise.all(
    entries.toReversed().map(async (entry) => {
      const mail = await read(entry);
      const link = `<a href="/mail/${entry.row}">${escaped(subjectOf(mail))}</a>`;
      return [shownTime(entry.at), escaped(entry.token), escaped(mail.from?.text ?? ''), link];
    }),
  );
  return pageOf('Mail', rows.length === 0 ? NO_MAIL : tableOf(['UTC', 'to', 'from', 'subject'], rows));
}

export async function mailPage(entry: LedgerEntry): Promise<string> {
  const mail = await read(entry);
  const headers = mail.headerLines.map(({ line }): [string, string] => {
    const colon = line.indexOf(':');
    return [escaped(line.slice(0, colon)), escaped(line.slice(colon + 1).trim())];
  });
  const attached = mail.attachments.map(({ filename, contentType, size }) => [
    escaped(filename ?? ''),
    escaped(contentType),
    String(size),
  ]);
  const frame = `<iframe sandbox="" src="/mail/${entry.row}/html" title="the mail"></iframe>`;
  return pageOf(
    subjectOf(mail),
    [
      tableOf(['header', ''], headers),
      typeof mail.html === 'string' ? `<h2>HTML</h2>${frame}` : '',
      mail.text === undefined ? '' : `<h2>Text</h2><pre>${escaped(mail.text)}</pre>`,
      attached.length === 0 ? '' : `<h2>Attached</h2>${tableOf(['name', 'type', 'bytes'], attached)}`,
    ].join(''),
  );
}

/** With the mail's own pictures. */
export async function mailHtml(entry: LedgerEntry): Promise<string> {
  const { html } = await read(entry);
  return typeof html === 'string' ? html : '';
}
