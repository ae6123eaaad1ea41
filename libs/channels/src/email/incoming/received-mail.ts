import type { Attachment, Email } from 'postal-mime';
import { textOfHtml } from '../html-text.ts';
import { type Fields, FIELD_LENGTH_MAX, FIELDS_MAX } from './fields.ts';

export interface ReceivedPart {
  readonly type: string;
  readonly text: string;
}

export interface ReceivedMail {
  readonly fields: Fields;
  readonly text: string;
  readonly parts: readonly ReceivedPart[];
}

/** A report precedes the mail that it is about. */
export const MAIL_READ_BYTES = 256 * 1024;

const LIMITS = { lines: 5_000, dashedLines: 200, depth: 32, headerBytes: 64 * 1024, text: 64 * 1024 } as const;

const [LF, DASH] = [0x0a, 0x2d];

function beginningOf(bytes: Buffer): Buffer {
  const read = bytes.subarray(0, MAIL_READ_BYTES);
  let dashedLines = 0;
  let at = 0;
  for (let lines = 0; lines < LIMITS.lines; lines++) {
    if (read[at] === DASH && read[at + 1] === DASH && ++dashedLines > LIMITS.dashedLines) return read.subarray(0, at);
    const end = read.indexOf(LF, at);
    if (end < 0) return read;
    at = end + 1;
  }
  return read.subarray(0, at);
}

const HEADERS = new Set(['text/rfc822-headers']);
const isText = ({ type }: ReceivedPart): boolean => type.startsWith('text/') && !HEADERS.has(type);

const partOf = ({ mimeType, content }: Attachment): ReceivedPart => ({
  type: mimeType,
  text: typeof content === 'string' ? content : Buffer.from(content as ArrayBuffer).toString('utf8', 0, LIMITS.text),
});

function fieldsOf({ headers, subject }: Email): Fields {
  const fields = new Map<string, string>();
  if (subject !== undefined) fields.set('subject', subject.slice(0, FIELD_LENGTH_MAX));
  for (const { key, value } of headers) {
    if (fields.size >= FIELDS_MAX) break;
    if (key !== '' && !fields.has(key)) fields.set(key, value.slice(0, FIELD_LENGTH_MAX));
  }
  return fields;
}

const visibleText = ({ text, html }: Email): string =>
  text === undefined ? textOfHtml((html ?? '').slice(0, LIMITS.text)) : text.slice(0, LIMITS.text);

async function parsed(bytes: Buffer): Promise<Email | undefined> {
  // Most deployments take no mail.
  const { default: PostalMime } = await import('postal-mime');
  try {
    return await PostalMime.parse(beginningOf(bytes), {
      forceRfc822Attachments: true,
      maxNestingDepth: LIMITS.depth,
      maxHeadersSize: LIMITS.headerBytes,
    });
  } catch (error) {
    // The parser reports an exceeded limit only by this text.
    if (error instanceof Error && error.message.startsWith('Maximum ')) return undefined;
    throw error;
  }
}

export async function readMail(bytes: Buffer): Promise<ReceivedMail | undefined> {
  const email = await parsed(bytes);
  if (!email) return undefined;
  const parts = email.attachments.map(partOf);
  const texts = [visibleText(email), ...parts.filter(isText).map(({ text }) => text)];
  return { fields: fieldsOf(email), text: texts.join('\n').slice(0, LIMITS.text).replaceAll('\u00a0', ' '), parts };
}
