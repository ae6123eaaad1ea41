import { lineText } from '../messages/line-template.ts';
import { kakaoContent, kakaoFields } from '../messages/kakao.ts';
import { whatsAppContent, whatsAppFields } from '../messages/whatsapp.ts';
import { alternative } from '../presence.ts';
import { namedPreset } from '../presets/preset-code.ts';
import { object, optional } from '../values.ts';
import { emailPayload } from './email-payload.ts';

const kakao = object(kakaoFields).transform(kakaoContent);

const whatsapp = object(whatsAppFields)
  .refine((given) => (given.content ?? given.content_id) !== undefined, { path: ['content'], error: 'must be set' })
  .transform(whatsAppContent);

const line = object({ content: optional(lineText), template: optional(namedPreset) }).refine(
  (given) => (given.content ?? given.template) !== undefined,
  { path: ['content'], error: 'must be set' },
);

/** The blocks of channels (R-O1). */
export const channelBlocks = {
  email_payload: alternative(emailPayload),
  kakao: alternative(kakao),
  whatsapp: alternative(whatsapp),
  line: alternative(line),
};
