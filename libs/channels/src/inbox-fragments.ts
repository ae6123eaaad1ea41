import {
  fileUrl,
  type Fragment,
  inboxImageOf,
  inboxRemovalIn,
  json,
  object,
  type TemplateContext,
} from '@tidings/messaging';
import type { Push } from './channel-definition.ts';

export function inboxFragments(
  { entry, content, platform }: Push,
  language: string,
  context: TemplateContext,
): { readonly pw_inbox?: Fragment; readonly inbox_params?: Fragment } {
  if (!entry) return {};
  const image = content?.inbox && inboxImageOf(content.inbox, platform, language);
  const own = content?.inbox && inboxRemovalIn(content.inbox, platform, language);
  const removal = own ? Math.floor(own.getTime() / 1000) : entry.removal;
  const params = { image: image ? fileUrl(image, context) : undefined, rt: json(String(removal)) };
  return { pw_inbox: json(String(entry.order)), inbox_params: object(params) };
}
