import { encode as base64, wrap as base64Wrapped } from 'nodemailer/lib/base64';
import { buildHeaderValue, encodeWord, quoteString } from 'nodemailer/lib/mime-funcs';
import { encode as quoted, wrap as quotedWrapped } from 'nodemailer/lib/qp';

const CRLF = '\r\n';
const WORD_LENGTH = 72;
/** Two less than the limit: the dot that begins a line becomes "=2E". */
const QUOTED_LINE = 74;

/** No value may add a header (RFC 5322). */
export const oneLine = (text: string): string => text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, ' ').trim();

const PRINTABLE = /^[\x20-\x7e]*$/;
const LIKE_WORD = /=\?/;

const isPlain = (text: string): boolean => PRINTABLE.test(text) && !LIKE_WORD.test(text) && text.length <= 60;

const encodedWords = (text: string): string => encodeWord(text, 'B', WORD_LENGTH).replaceAll(' ', `${CRLF} `);

export function textHeader(name: string, value: string): string {
  const text = oneLine(value.toWellFormed());
  return `${name}: ${isPlain(text) ? text : encodedWords(text)}`;
}

export function mailbox({ address, name }: { readonly address: string; readonly name: string }): string {
  const shown = oneLine(name.toWellFormed());
  if (shown === '') return address;
  return `${isPlain(shown) ? quoteString(shown) : encodedWords(shown)}${CRLF} <${address}>`;
}

/** Servers may take a lone dot for the end of the mail. */
export const quotedPrintable = (text: string): string =>
  quotedWrapped(quoted(text.toWellFormed().replace(/\r\n|\r|\n/g, CRLF)), QUOTED_LINE).replace(/^\./gm, '=2E');

export const base64Lines = (bytes: Uint8Array): string =>
  base64Wrapped(base64(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)));

export const inLines = (text: string, length: number): string =>
  (text.match(new RegExp(`.{1,${length}}`, 'g')) ?? []).join(`${CRLF} `);

export function attachmentHeader(name: string): string {
  const params = { filename: oneLine(name.toWellFormed()) };
  const value = buildHeaderValue({ value: 'attachment', params }).replaceAll('; filename', `;${CRLF} filename`);
  return `Content-Disposition: ${value}`;
}
