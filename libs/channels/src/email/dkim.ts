import { hash, type KeyObject, sign } from 'node:crypto';
import type { DkimKey } from './email-credential.ts';
import type { Mail } from './mail.ts';
import { inLines } from './mime.ts';

const CRLF = '\r\n';
const LINE = 70;

const SIGNED: ReadonlySet<string> = new Set(
  'from to subject date message-id reply-to mime-version content-type list-unsubscribe list-unsubscribe-post'.split(
    ' ',
  ),
);

const nameOf = (header: string): string => header.slice(0, header.indexOf(':')).toLowerCase();

const relaxed = (header: string): string => {
  const value = header.slice(header.indexOf(':') + 1);
  return `${nameOf(header)}:${value
    .replace(/\r\n/g, '')
    .replace(/[ \t]+/g, ' ')
    .trim()}`;
};

function signed(text: string, key: KeyObject): string {
  const data = Buffer.from(text);
  const signature =
    key.asymmetricKeyType === 'ed25519' ? sign(null, hash('sha256', data, 'buffer'), key) : sign('sha256', data, key);
  return signature.toString('base64');
}

/** The body must end with exactly one line end. */
export function dkimSignature({ headers, body }: Mail, { domain, selector, key }: DkimKey, at: Date): string {
  const covered = headers.filter((header) => SIGNED.has(nameOf(header)));
  const algorithm = key.asymmetricKeyType === 'ed25519' ? 'ed25519-sha256' : 'rsa-sha256';
  const unsigned = [
    `DKIM-Signature: v=1; a=${algorithm}; c=relaxed/simple; d=${domain}; s=${selector};`,
    ` t=${Math.floor(at.getTime() / 1000)}; bh=${hash('sha256', body, 'base64')};`,
    ` h=${covered.map(nameOf).join(`:${CRLF}  `)};`,
    ' b=',
  ].join(CRLF);
  const data = [...covered.map(relaxed), relaxed(unsigned)].join(CRLF);
  return unsigned + inLines(signed(data, key), LINE);
}

export function writtenMail(mail: Mail, dkim: DkimKey | undefined, at: Date): Buffer {
  const signature = dkim ? [dkimSignature(mail, dkim, at)] : [];
  return Buffer.from([...signature, ...mail.headers, '', mail.body].join(CRLF));
}
