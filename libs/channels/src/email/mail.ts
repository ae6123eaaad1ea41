import type { Content, MailAttachment } from '@tidings/events';
import { asciiAddress, domainOf, type Mailbox, type MailSender } from './email-credential.ts';
import type { Letter } from './email-payload.ts';
import { textOfHtml } from './html-text.ts';
import { messageIdOf } from './mail-token.ts';
import { attachmentHeader, base64Lines, inLines, mailbox, oneLine, quotedPrintable, textHeader } from './mime.ts';

const CRLF = '\r\n';

/** Neither quoted-printable nor base64 can contain "=_". */
const ALTERNATIVE = '=_alternative';
const MIXED = '=_mixed';

export interface MailDefaults {
  readonly from: Mailbox;
  readonly replyTo: Mailbox | undefined;
  readonly date: Date;
  readonly listUnsubscribe: string | undefined;
  readonly attachments: string;
}

export interface Mail {
  readonly headers: readonly string[];
  readonly body: string;
}

const given = (own: Content['email'], name: 'from' | 'replyTo'): Mailbox | undefined => {
  const found = own?.[name];
  return found && { address: asciiAddress(found.address), name: found.name };
};

const attachmentPart = ({ name, content }: MailAttachment): string =>
  [
    `--${MIXED}`,
    'Content-Type: application/octet-stream',
    'Content-Transfer-Encoding: base64',
    attachmentHeader(name),
    '',
    base64Lines(content),
    '',
  ].join(CRLF);

const attachmentParts = (attachments: readonly MailAttachment[]): string =>
  attachments.length === 0 ? '' : `${attachments.map(attachmentPart).join('')}--${MIXED}--${CRLF}`;

export function mailDefaultsOf({ email }: Content, sender: MailSender, date: Date): MailDefaults {
  return {
    from: given(email, 'from') ?? sender.from,
    replyTo: given(email, 'replyTo') ?? sender.replyTo,
    date,
    listUnsubscribe: email?.listUnsubscribe,
    attachments: attachmentParts(email?.attachments ?? []),
  };
}

const textPart = (type: string, text: string): string =>
  [
    `--${ALTERNATIVE}`,
    `Content-Type: ${type}; charset=utf-8`,
    'Content-Transfer-Encoding: quoted-printable',
    '',
    quotedPrintable(text),
    '',
  ].join(CRLF);

const multipart = (kind: string, boundary: string): string =>
  `Content-Type: multipart/${kind};${CRLF} boundary="${boundary}"`;

function bodyOf({ html, text }: Letter, attachments: string): { readonly type: string; readonly body: string } {
  const texts = `${textPart('text/plain', text ?? textOfHtml(html))}${textPart('text/html', html)}--${ALTERNATIVE}--${CRLF}`;
  const type = multipart('alternative', ALTERNATIVE);
  if (attachments === '') return { type, body: texts };
  return { type: multipart('mixed', MIXED), body: [`--${MIXED}`, type, '', texts + attachments].join(CRLF) };
}

const dateText = (date: Date): string => date.toUTCString().replace('GMT', '+0000');

/** A line has at most 998 characters (RFC 5322). */
const URL_LINE = 900;

function unsubscribeHeaders(own: string | undefined, ofService: string | undefined): string[] {
  if (own !== undefined) return [`List-Unsubscribe: <${inLines(oneLine(own), URL_LINE)}>`];
  if (ofService === undefined) return [];
  return [`List-Unsubscribe: <${ofService}>`, 'List-Unsubscribe-Post: List-Unsubscribe=One-Click'];
}

const named = (mailbox: Mailbox, name = mailbox.name): Mailbox => ({ ...mailbox, name });

/** The Message-ID is equal in every try. @param mailToken undefined for a copy */
export function mailOf(letter: Letter, defaults: MailDefaults, mailToken: string | undefined): Mail {
  const { date } = defaults;
  const from = named(defaults.from, letter.fromName);
  const replyTo = defaults.replyTo && named(defaults.replyTo, letter.replyName);
  const listUnsubscribe = letter.listUnsubscribe ?? defaults.listUnsubscribe;
  const { type, body } = bodyOf(letter, defaults.attachments);
  const headers = [
    `From: ${mailbox(from)}`,
    `To: ${asciiAddress(letter.to)}`,
    textHeader('Subject', letter.subject),
    `Date: ${dateText(date)}`,
    `Message-ID: <${mailToken === undefined ? letter.p : messageIdOf(letter.p, mailToken)}@${domainOf(from.address)}>`,
    ...(replyTo ? [`Reply-To: ${mailbox(replyTo)}`] : []),
    ...unsubscribeHeaders(listUnsubscribe, mailToken === undefined ? undefined : letter.unsubscribe),
    'MIME-Version: 1.0',
    type,
  ];
  return { headers, body };
}
