import { lineText } from '../messages/line-template.ts';
import { localized } from '../messages/texts.ts';
import { kakaoContent, kakaoFields } from '../messages/kakao.ts';
import { whatsAppContent, whatsAppFields } from '../messages/whatsapp.ts';
import { alternative } from '../presence.ts';
import { namedPreset } from '../presets/preset-code.ts';
import { array, nonEmptyText, object, optional, text } from '../values.ts';
import { notServed } from './not-served-block.ts';

const sender = object({ name: optional(text), email: nonEmptyText });
const attachment = object({ name: nonEmptyText, content: nonEmptyText });

const email = object({
  subject: optional(localized),
  body: optional(localized),
  email_template: optional(namedPreset),
  from: optional(sender),
  reply_to: optional(sender),
  list_unsubscribe: optional(text),
  attachments: optional(array(attachment).max(2, 'at most 2 entries')),
  bcc: optional(array(text).max(10, 'at most 10 entries')),
}).refine((given) => (given.body ?? given.email_template) !== undefined, {
  path: ['body'],
  error: 'must be set',
});

const kakao = object(kakaoFields).transform(kakaoContent);

const whatsapp = object(whatsAppFields)
  .refine((given) => (given.content ?? given.content_id) !== undefined, { path: ['content'], error: 'must be set' })
  .transform(whatsAppContent);

const line = object({ content: optional(lineText), template: optional(namedPreset) }).refine(
  (given) => (given.content ?? given.template) !== undefined,
  { path: ['content'], error: 'must be set' },
);

/** The blocks of channels; some are not served yet (R-O1). */
export const channelBlocks = {
  email_payload: notServed(email),
  kakao: alternative(kakao),
  whatsapp: alternative(whatsapp),
  line: alternative(line),
};
