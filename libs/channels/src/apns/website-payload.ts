import {
  compilePayload,
  type Fragment,
  json,
  list,
  type MessageKey,
  object,
  statisticsHash,
  text,
  textFor,
  url,
  variablesOf,
} from '@tidings/messaging';
import type { ChannelPayload, Push } from '../channel-definition.ts';
import { inLanguage } from '../locale-settings.ts';
import { appleContentOf } from './apple-content.ts';

const LIMIT = 4096;

/** Safari shows no push without a title (R-I22). */
export function websitePayload(push: Push, language: string, key: MessageKey): ChannelPayload {
  const message = inLanguage(push, language);
  const content = message.content!;
  const { title, text: body } = appleContentOf(message);
  const { action, urlArgs = [] } = content.safari ?? {};
  const context = { variables: variablesOf(content), tags: content.tags };
  const part = (template: string): Fragment => text(template, context);
  const shownTitle = textFor(title, language);
  const hash = { messageId: message.messageId, campaignId: message.campaignId, code: message.message };
  const whole = object({
    aps: object({
      alert: object({
        title: shownTitle ? part(shownTitle) : json(message.applicationTitle),
        body: part(textFor(body, language) ?? ''),
        action: action ? part(action) : undefined,
      }),
      'url-args': list(urlArgs.map((argument) => url(argument, context))),
    }),
    p: statisticsHash(hash, key),
  });
  return { payload: compilePayload(whole), limit: LIMIT };
}
