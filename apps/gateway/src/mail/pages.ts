import { createHash } from 'node:crypto';
import { htmlEscaped } from '@tidings/messaging';
import type { Reply } from '../envelopes/reply.ts';
import type { Preferences } from './preferences.ts';

const STYLE = [
  ':root{color-scheme:light dark}',
  'body{font:1rem/1.5 system-ui,sans-serif;max-width:34rem;margin:0 auto;padding:2rem 1rem}',
  'fieldset{border:1px solid;border-radius:.5rem;margin:1.5rem 0;padding:.5rem 1rem}',
  'label{display:block;padding:.4rem 0;overflow-wrap:anywhere}',
  'button{font:inherit;padding:.5rem 1rem;margin:0 .5rem .5rem 0}',
].join('');
const styleHash = createHash('sha256').update(STYLE).digest('base64');

/** Headers that forbid foreign content, framing, caching and indexing. */
const HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy': `default-src 'none'; style-src 'sha256-${styleHash}'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-robots-tag': 'noindex',
  'cache-control': 'no-store',
};

/** A page without scripts. @param body HTML */
export function pageReply(status: number, title: string, body: string): Reply {
  const html = [
    '<!doctype html><html lang="en"><head><meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<title>${htmlEscaped(title)}</title><style>${STYLE}</style></head>`,
    `<body><main><h1>${htmlEscaped(title)}</h1>${body}</main></body></html>\n`,
  ].join('');
  return { status, body: '', file: { type: 'text/html; charset=utf-8', bytes: Buffer.from(html) }, headers: HEADERS };
}

/** A page with one sentence. */
export const sentencePage = (status: number, title: string, sentence: string): Reply =>
  pageReply(status, title, `<p>${htmlEscaped(sentence)}</p>`);

/** An address in a form that its owner recognises, but that does not disclose it to others who have the link. */
const masked = (address: string): string => {
  const at = address.lastIndexOf('@');
  return at < 1 ? '' : `${[...address][0]}…${address.slice(at)}`;
};

const checkbox = (category: string, isChecked: boolean): string =>
  `<label><input type="checkbox" name="category" value="${htmlEscaped(category)}"${isChecked ? ' checked' : ''}> ${htmlEscaped(category)}</label>`;

function categoriesOf({ offered, excluded, unsubscribed }: Preferences): string {
  if (offered.length === 0) return '';
  const left = new Set(excluded);
  const boxes = offered.map((category) => checkbox(category, !unsubscribed && !left.has(category)));
  return `<fieldset><legend>Topics</legend>${boxes.join('')}</fieldset>`;
}

/** The page on which a contact chooses what it gets. @param done a sentence about what has just been stored */
export function preferencePage(preferences: Preferences, sender: string, done?: string): Reply {
  const { unsubscribed, address, offered, isComplete } = preferences;
  const state = unsubscribed ? 'receives no marketing e-mails' : 'receives marketing e-mails';
  const save = unsubscribed && !isComplete ? 'Subscribe again' : 'Save';
  const buttons = [
    ...(offered.length > 0 || unsubscribed ? [`<button name="choice" value="save">${save}</button>`] : []),
    ...(unsubscribed ? [] : ['<button name="choice" value="none">Unsubscribe from all</button>']),
  ];
  const body = [
    done === undefined ? '' : `<p role="status"><strong>${htmlEscaped(done)}</strong></p>`,
    `<p>${htmlEscaped(masked(address))} ${state} from ${htmlEscaped(sender)}.</p>`,
    `<form method="post">${categoriesOf(preferences)}<p>${buttons.join('')}</p></form>`,
  ];
  return pageReply(200, 'E-mail preferences', body.join(''));
}
