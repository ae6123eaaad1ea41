import type { IncomingHttpHeaders } from 'node:http';
import { objectIn, textOf } from '../fields.ts';
import type { WnsReason } from './wns-reasons.ts';

const BODY_MAX = 5000;

const elements: Readonly<Record<string, string>> = { 'wns/toast': 'toast', 'wns/tile': 'tile', 'wns/badge': 'badge' };

const isGood = (headers: IncomingHttpHeaders, name: string, form: RegExp): boolean =>
  headers[name] === undefined || form.test(textOf(headers[name]));

/** Every element is closed, and every & begins an entity. */
function isXml(text: string, first: string): boolean {
  const open: string[] = [];
  const body = text.replace(/^\uFEFF?\s*(<\?xml[^>]*\?>\s*)?/, '');
  if (!new RegExp(`^<${first}[\\s/>]`).test(body) || /&(?!(amp|lt|gt|quot|apos|#\d+|#x[\da-fA-F]+);)/.test(body))
    return false;
  for (const [, end = '', name = '', empty = ''] of body.matchAll(
    /<(\/?)([\w:-]+)(?:"[^"<]*"|'[^'<]*'|[^"'<>])*?(\/?)>/g,
  )) {
    if (end !== '') {
      if (open.pop() !== name) return false;
    } else if (empty === '') open.push(name);
  }
  return open.length === 0 && body.trimEnd().endsWith('>');
}

export function notificationFlaw(headers: IncomingHttpHeaders, body: Buffer): WnsReason | undefined {
  if (body.length > BODY_MAX) return 'RequestEntityTooLarge';
  const type = textOf(headers['x-wns-type']);
  const mediaType = textOf(headers['content-type']).split(';')[0];
  const element = elements[type];
  const fits =
    headers['content-length'] === String(body.length) &&
    (element === undefined
      ? type === 'wns/raw' && mediaType === 'application/octet-stream'
      : mediaType === 'text/xml' && isXml(body.toString('utf8'), element)) &&
    isGood(headers, 'x-wns-tag', /^[A-Za-z0-9]{1,16}$/) &&
    isGood(headers, 'x-wns-ttl', /^\d{1,10}$/) &&
    isGood(headers, 'x-wns-cache-policy', /^(no-)?cache$/) &&
    isGood(headers, 'x-wns-requestforstatus', /^(true|false)$/);
  return fits ? undefined : 'BadRequest';
}

const unescaped = (text: string): string =>
  text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&amp;', '&');

/** From the argument of a toast, or raw data. */
export function hashInNotification(body: Buffer): string {
  const text = body.toString('utf8');
  const argument = /^<toast launch="([^"]*)"/.exec(text)?.[1];
  return textOf(objectIn(argument === undefined ? text : unescaped(argument))?.['p']);
}
