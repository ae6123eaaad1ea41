import type { Content } from '@tidings/events';
import { compilePayload, fileUrl, list, object, text, textFor, variablesOf } from '@tidings/messaging';
import type { ChannelPayload, Push, PushKind } from '../channel-definition.ts';
import { inLanguage } from '../locale-settings.ts';

/** No SMS holds as much: 255 parts of 153 characters. */
const LIMIT = 131_072;

/** The payload of a device, as JSON. */
export interface SmsPayload {
  readonly text: string;
  /** Only for an MMS. */
  readonly subject?: string;
  readonly media?: readonly string[];
}

const subjectIn = (content: Content | undefined, language: string): string =>
  textFor(content?.sms?.title, language) ?? '';

/** Whether a message is an MMS in a language: it has a subject or media (Spec O). */
export function isMms(push: PushKind, language: string): boolean {
  const { content } = inLanguage(push, language);
  return subjectIn(content, language) !== '' || (content?.sms?.fileUrls.length ?? 0) > 0;
}

/** The text of a message in a language as JSON, with the subject and the media of an MMS. */
export function smsPayload(push: Push, language: string): ChannelPayload {
  const { content } = inLanguage(push, language);
  const context = { variables: variablesOf(content!), tags: content!.tags };
  const { sms } = content!;
  const body = textFor(sms?.text ?? content!.text, language) ?? '';
  const subject = subjectIn(content, language);
  const whole = object({
    text: text(body, context),
    subject: subject === '' ? undefined : text(subject, context),
    media: sms && sms.fileUrls.length > 0 ? list(sms.fileUrls.map((each) => fileUrl(each, context))) : undefined,
  });
  return { payload: compilePayload(whole), limit: LIMIT };
}
