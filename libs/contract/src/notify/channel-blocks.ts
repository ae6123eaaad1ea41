import { lineText } from '../messages/line-template.ts';
import { kakaoContent, kakaoFields } from '../messages/kakao.ts';
import { whatsAppContent, whatsAppFields } from '../messages/whatsapp.ts';
import { alternative } from '../presence.ts';
import { namedPreset } from '../presets/preset-code.ts';
import { object, optional } from '../values.ts';
import { emailPayload } from './email-payload.ts';

const kakao = object(kakaoFields).transform(kakaoContent);

const whatsapp = object({
  ...whatsAppFields,
  content: whatsAppFields.content.describe('Text of the message. Required without `content_id`.'),
  content_id: whatsAppFields.content_id.describe(
    'Name of the approved template, which is sent in place of the text. Required without `content`.',
  ),
})
  .refine((given) => (given.content ?? given.content_id) !== undefined, { path: ['content'], error: 'must be set' })
  .transform(whatsAppContent);

const line = object({
  content: optional(lineText).describe('Text of the message, up to 5,000 characters. Required without `template`.'),
  template: optional(namedPreset).describe('Code of a preset. Required without `content`.'),
}).refine((given) => (given.content ?? given.template) !== undefined, { path: ['content'], error: 'must be set' });

export const channelBlocks = {
  email_payload: alternative(emailPayload).describe('Content of an e-mail, for contacts of e-mail.'),
  kakao: alternative(kakao).describe('Content of a Kakao message.'),
  whatsapp: alternative(whatsapp).describe('Content of a WhatsApp message.'),
  line: alternative(line).describe('Content of a LINE message.'),
};
