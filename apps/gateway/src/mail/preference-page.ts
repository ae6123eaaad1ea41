import { htmlEscaped } from '@tidings/messaging';
import type { Reply } from '../envelopes/reply.ts';
import type { Preferences } from './preferences.ts';
import { pageReply } from '../envelopes/page-reply.ts';

/** The owner recognises it, others with the link do not. */
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
