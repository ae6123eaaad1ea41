import type { Content } from '@tidings/events';
import {
  compilePayload,
  fileUrl,
  list,
  type MessageKey,
  object,
  statisticsHash,
  text,
  textFor,
  variablesOf,
} from '@tidings/messaging';
import { hasAnyText } from '../carried-content.ts';
import type { ChannelPayload, Push, PushKind } from '../channel-definition.ts';
import { inLanguage } from '../locale-settings.ts';
import type { SmsCredential } from './sms-credential.ts';

const LIMIT = 131_072;

export interface SmsPayload {
  readonly text: string;
  readonly subject?: string;
  readonly media?: readonly string[];
  readonly p?: string;
}

const subjectIn = (content: Content | undefined, language: string): string =>
  textFor(content?.sms?.title, language) ?? '';

export function isMms(push: PushKind, language: string): boolean {
  const { content } = inLanguage(push, language);
  return subjectIn(content, language) !== '' || (content?.sms?.fileUrls.length ?? 0) > 0;
}

export const smsHasContent = ({ content }: PushKind, language: string): boolean =>
  hasAnyText([content!.sms?.text ?? content!.text, content!.sms?.title], language) ||
  (content!.sms?.fileUrls.length ?? 0) > 0;

export function smsPayload(
  push: Push,
  language: string,
  key: MessageKey,
  credential: SmsCredential | undefined,
): ChannelPayload {
  const { content } = inLanguage(push, language);
  const context = { variables: variablesOf(content!), tags: content!.tags };
  const { sms } = content!;
  const body = textFor(sms?.text ?? content!.text, language) ?? '';
  const subject = subjectIn(content, language);
  const hash = { messageId: push.messageId, campaignId: push.campaignId, code: push.message };
  const whole = object({
    text: text(body, context),
    subject: subject === '' ? undefined : text(subject, context),
    media: sms && sms.fileUrls.length > 0 ? list(sms.fileUrls.map((each) => fileUrl(each, context))) : undefined,
    p: credential?.transport === 'http' ? statisticsHash(hash, key) : undefined,
  });
  return { payload: compilePayload(whole), limit: LIMIT };
}
