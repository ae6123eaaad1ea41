import type { Content, LocalizedEntry } from '@tidings/events';
import {
  compilePayload,
  entryFor,
  mailUrl,
  type Fragment,
  type MessageKey,
  markup,
  markupString,
  object,
  OVERSIZED_BYTES,
  statisticsHash,
  text,
  textFor,
  token,
  type TemplateContext,
  url,
  variablesOf,
} from '@tidings/messaging';
import type { ChannelPayload, Push } from '../channel-definition.ts';
import { given } from '../given-text.ts';
import { inLanguage } from '../locale-settings.ts';
import { compiledText } from './compiled-text.ts';
import type { MailLinks } from './mail-links.ts';
import { trackedHtml } from './tracked-html.ts';

export interface Letter {
  readonly to: string;
  readonly subject: string;
  readonly html: string;
  readonly text?: string;
  readonly p: string;
  readonly unsubscribe?: string;
  readonly listUnsubscribe?: string;
  readonly fromName?: string;
  readonly replyName?: string;
}

export interface LetterLinks {
  readonly links: MailLinks;
  readonly unsubscribes: boolean;
}

const LIMIT = OVERSIZED_BYTES - 1;

function subjectIn({ email, title }: Content, body: LocalizedEntry | undefined, language: string): string | undefined {
  if (!email?.subject) return textFor(title, language);
  return email.subject.entries.find((entry) => entry.language === (body?.language ?? 'default'))?.text;
}

const bodyIn = ({ email, text: common }: Content, language: string): LocalizedEntry | undefined =>
  entryFor((email?.body ?? common)?.entries ?? [], language);

export const mailSubject = (content: Content, language: string): string | undefined =>
  subjectIn(content, bodyIn(content, language), language);

export const mailHasContent = (content: Content, language: string): boolean =>
  given(mailSubject(content, language)) || given(bodyIn(content, language)?.text);

const unsubscribeUrl = ({ links, unsubscribes }: LetterLinks): Fragment | undefined =>
  unsubscribes ? mailUrl(links.before('unsubscribe'), links.tokens, links.purposeOf('unsubscribe')) : undefined;

const isTemplate = (value: string | undefined): value is string => value?.includes('{') ?? false;

function headerFragments({ email }: Content, context: TemplateContext): Record<string, Fragment | undefined> {
  const { listUnsubscribe, from, replyTo } = email ?? {};
  const nameOf = (name: string | undefined) => (isTemplate(name) ? text(name, context) : undefined);
  return {
    listUnsubscribe: isTemplate(listUnsubscribe) ? url(listUnsubscribe, context) : undefined,
    fromName: nameOf(from?.name),
    replyName: nameOf(replyTo?.name),
  };
}

export function emailPayload(push: Push, language: string, key: MessageKey, own?: LetterLinks): ChannelPayload {
  const content = inLanguage(push, language).content!;
  const context = { variables: variablesOf(content), tags: content.tags };
  const body = bodyIn(content, language);
  const html = markup(body?.text ?? '', context);
  const plainText = own && compiledText(html);
  const hash = { messageId: push.messageId, campaignId: push.campaignId, code: push.message };
  const letter = {
    to: token,
    subject: text(subjectIn(content, body, language) ?? '', context),
    html: markupString(own ? trackedHtml(html, own.links) : html),
    text: plainText && markupString(plainText),
    p: statisticsHash(hash, key),
    unsubscribe: own && unsubscribeUrl(own),
    ...headerFragments(content, context),
  };
  return { payload: compilePayload(object(letter)), limit: LIMIT };
}
