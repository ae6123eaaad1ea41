import type { Content, LocalizedEntry } from '@tidings/events';
import {
  compilePayload,
  entryFor,
  html,
  type MessageKey,
  object,
  OVERSIZED_BYTES,
  statisticsHash,
  text,
  textFor,
  token,
  variablesOf,
} from '@tidings/messaging';
import type { ChannelPayload, Push } from '../channel-definition.ts';
import { inLanguage } from '../locale-settings.ts';

/** The parts of a mail that differ between recipients. */
export interface Letter {
  readonly to: string;
  readonly subject: string;
  readonly html: string;
  /** The statistics hash. */
  readonly p: string;
}

/** Bytes of a letter. Attachments are not part of it. */
const LIMIT = OVERSIZED_BYTES - 1;

/** A mail's own subject is taken under the key that was chosen for its body (R-E9). */
function subjectIn({ email, title }: Content, body: LocalizedEntry | undefined, language: string): string | undefined {
  if (!email?.subject) return textFor(title, language);
  return email.subject.entries.find((entry) => entry.language === (body?.language ?? 'default'))?.text;
}

/** The letter of a message in a language as JSON. @param key the message's, in the application of the recipients */
export function emailPayload(push: Push, language: string, key: MessageKey): ChannelPayload {
  const content = inLanguage(push, language).content!;
  const context = { variables: variablesOf(content), tags: content.tags };
  const body = entryFor((content.email?.body ?? content.text)?.entries ?? [], language);
  const hash = { messageId: push.messageId, campaignId: push.campaignId, code: push.message };
  const letter = {
    to: token,
    subject: text(subjectIn(content, body, language) ?? '', context),
    html: html(body?.text ?? '', context),
    p: statisticsHash(hash, key),
  };
  return { payload: compilePayload(object(letter)), limit: LIMIT };
}
