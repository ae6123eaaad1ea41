import { createHash } from 'node:crypto';
import { htmlEscaped } from '@tidings/messaging';
import type { Reply } from './reply.ts';

const STYLE = [
  ':root{color-scheme:light dark}',
  'body{font:1rem/1.5 system-ui,sans-serif;max-width:34rem;margin:0 auto;padding:2rem 1rem}',
  'fieldset{border:1px solid;border-radius:.5rem;margin:1.5rem 0;padding:.5rem 1rem}',
  'label{display:block;padding:.4rem 0;overflow-wrap:anywhere}',
  'button{font:inherit;padding:.5rem 1rem;margin:0 .5rem .5rem 0}',
].join('');

const styleHash = createHash('sha256').update(STYLE).digest('base64');

const HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy': `default-src 'none'; style-src 'sha256-${styleHash}'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-robots-tag': 'noindex',
  'cache-control': 'no-store',
};

export function pageReply(status: number, title: string, body: string): Reply {
  const html = [
    '<!doctype html><html lang="en"><head><meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<title>${htmlEscaped(title)}</title><style>${STYLE}</style></head>`,
    `<body><main><h1>${htmlEscaped(title)}</h1>${body}</main></body></html>\n`,
  ].join('');
  return { status, body: '', file: { type: 'text/html; charset=utf-8', bytes: Buffer.from(html) }, headers: HEADERS };
}

export const sentencePage = (status: number, title: string, sentence: string): Reply =>
  pageReply(status, title, `<p>${htmlEscaped(sentence)}</p>`);
