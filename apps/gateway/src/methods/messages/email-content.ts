import type { GivenEmail } from '@tidings/contract';
import { type Content, EmailContent, type Localized } from '@tidings/events';

const DEFAULT = 'default';

/** The text for every language, if that is all that there is. */
const soleText = ({ entries: [first, ...others] }: Localized): string | undefined =>
  others.length === 0 && first?.language === DEFAULT ? first.text : undefined;

/** The subject of an e-mail by the keys of its body: a text for all languages has every key (R-E9). */
function subjectOf(given: GivenEmail['subject'], said: Localized | undefined, body: Localized): Localized {
  const everywhere = given ? ('everywhere' in given ? given.everywhere : undefined) : said && soleText(said);
  if (everywhere !== undefined) {
    return { entries: body.entries.map(({ language }) => ({ language, text: everywhere })) };
  }
  return given && 'entries' in given ? given : (said ?? { entries: [] });
}

/** The e-mail of a request; body and subject come from the preset where the request has none (R-E7, R-K4). */
export function emailOf({ subject, body: own, ...given }: GivenEmail, said: Content): EmailContent {
  const body = own ?? said.text ?? { entries: [] };
  return EmailContent.fromPartial({
    ...given,
    bcc: [...given.bcc],
    attachments: [...given.attachments],
    body,
    subject: subjectOf(subject, said.title, body),
  });
}
