import type { Content, WindowsContent } from '@tidings/events';
import {
  bytesPayload,
  compilePayload,
  type CompiledPayload,
  type Fragment,
  json,
  type MessageKey,
  object,
  rawJson,
  statisticsHash,
  type TemplateContext,
  textFor,
  variablesOf,
  xmlAttribute,
  xmlText,
} from '@tidings/messaging';
import { carries } from '../carried-content.ts';
import type { ChannelPayload, Push, PushKind } from '../channel-definition.ts';
import { given } from '../given-text.ts';
import { inboxFragments } from '../inbox-fragments.ts';
import { inLanguage } from '../locale-settings.ts';
import { openActionFragments } from '../open-action.ts';
import { remainingTtl } from '../remaining-ttl.ts';

const LIMIT = 5000;

interface Texts {
  readonly title: string | undefined;
  readonly body: string | undefined;
}

type Notification =
  | { readonly kind: 'own'; readonly type: string; readonly bytes: Uint8Array }
  | ({ readonly kind: 'toast' } & Texts)
  | { readonly kind: 'data' };

function notificationIn({ content }: PushKind, language: string): Notification {
  const windows: Partial<WindowsContent> = content?.windows ?? {};
  const own = textFor(windows.notification, language);
  if (given(own)) return { kind: 'own', type: windows.type ?? 'Toast', bytes: Buffer.from(own, 'base64') };
  const title = textFor(windows.title ?? content?.title, language);
  const body = textFor(windows.text ?? content?.text, language);
  return given(title) || given(body) ? { kind: 'toast', title, body } : { kind: 'data' };
}

export const wnsHasContent = (kind: PushKind, language: string): boolean =>
  notificationIn(kind, language).kind !== 'data' ||
  carries(kind.content!, { openAction: kind.content!.windows?.openAction });

function dataFragment(push: Push, language: string, key: MessageKey): Fragment {
  const content = push.content!;
  const context = contextOf(content);
  const hash = { messageId: push.messageId, campaignId: push.campaignId, code: push.message };
  return object({
    u: content.data === undefined ? undefined : json(content.data),
    md: content.metaData === undefined ? undefined : rawJson(content.metaData),
    ...openActionFragments(content.windows?.openAction ?? content, context, json),
    ...inboxFragments(push, language, context),
    p: statisticsHash(hash, key),
  });
}

const contextOf = (content: Content): TemplateContext => ({ variables: variablesOf(content), tags: content.tags });

function toastFragment({ title, body }: Texts, launch: Fragment, context: TemplateContext): Fragment {
  const lines = [title, body].filter(given).flatMap((line) => ['<text>', ...xmlText(line, context), '</text>']);
  return [
    ...['<toast launch="', ...xmlAttribute(launch), '">'],
    ...['<visual><binding template="ToastGeneric">', ...lines, '</binding></visual></toast>'],
  ];
}

function payloadOf(push: Push, language: string, key: MessageKey): CompiledPayload {
  const notification = notificationIn(push, language);
  switch (notification.kind) {
    case 'own':
      return bytesPayload(notification.bytes);
    case 'toast': {
      const launch = dataFragment(push, language, key);
      return compilePayload(toastFragment(notification, launch, contextOf(push.content!)));
    }
    case 'data':
      return compilePayload(dataFragment(push, language, key));
  }
}

export const wnsPayload = (push: Push, language: string, key: MessageKey): ChannelPayload => ({
  payload: payloadOf(inLanguage(push, language), language, key),
  limit: LIMIT,
});

function typeOf(notification: Notification): string {
  if (notification.kind === 'own') return `wns/${notification.type.toLowerCase()}`;
  return notification.kind === 'toast' ? 'wns/toast' : 'wns/raw';
}

export function wnsHeaders(batch: Push, language: string): readonly string[] {
  const push = inLanguage(batch, language);
  const { cache, ttlSeconds, tag } = push.content?.windows ?? {};
  const keptSeconds = remainingTtl(ttlSeconds, push);
  const type = typeOf(notificationIn(push, language));
  return [
    ...['x-wns-type', type, 'content-type', type === 'wns/raw' ? 'application/octet-stream' : 'text/xml'],
    ...['x-wns-requestforstatus', 'true'],
    ...(cache === undefined ? [] : ['x-wns-cache-policy', cache ? 'cache' : 'no-cache']),
    ...(keptSeconds === undefined ? [] : ['x-wns-ttl', String(keptSeconds)]),
    ...(given(tag) ? ['x-wns-tag', tag] : []),
  ];
}
