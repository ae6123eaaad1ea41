import type { KakaoContent, TemplateValue } from '@tidings/events';
import {
  compilePayload,
  type Fragment,
  json,
  list,
  type MessageKey,
  object,
  OVERSIZED_BYTES,
  statisticsHash,
  text,
  type TemplateContext,
  tokenWithout,
  variablesOf,
} from '@tidings/messaging';
import type { ChannelPayload, Push } from '../channel-definition.ts';
import type { KakaoCredential } from './kakao-credential.ts';

const LIMIT = 1000;
const PREFIX = 'kakao:';

const VARIABLE = /(#\{[^{}]*\}|(?<!\\)\{\{[^{}|]*\}\})/;

function filledContent(whole: string, values: readonly TemplateValue[], context: TemplateContext): Fragment {
  const byName = new Map(values.map((value) => [value.name, value.text]));
  const parts = whole.split(VARIABLE).map((part, i) => {
    const name = i % 2 === 1 ? part.slice(2, part.startsWith('#') ? -1 : -2).trim() : '';
    return text(byName.get(name) ?? part, context).slice(1, -1);
  });
  return ['"', ...parts.flat(), '"'];
}

function contentFragments({ text: whole, values }: KakaoContent, context: TemplateContext): Record<string, Fragment> {
  if (whole !== undefined) return { content: filledContent(whole, values, context) };
  if (values.length === 0) return {};
  return {
    templateParameter: object(Object.fromEntries(values.map((value) => [value.name, text(value.text, context)]))),
  };
}

export function kakaoPayload(push: Push, key: MessageKey, credential: KakaoCredential | undefined): ChannelPayload {
  const content = push.content!;
  const { kakao } = content;
  const context = { variables: variablesOf(content), tags: content.tags };
  const hash = { messageId: push.messageId, campaignId: push.campaignId, code: push.message };
  const recipient = object({
    recipientNo: tokenWithout(PREFIX),
    ...(kakao ? contentFragments(kakao, context) : {}),
    recipientGroupingKey: statisticsHash(hash, key),
  });
  const whole = object({
    senderKey: credential && json(credential.senderKey),
    templateCode: json(kakao?.template ?? ''),
    recipientList: list([recipient]),
  });
  return { payload: compilePayload(whole), limit: LIMIT };
}

interface KakaoRequest {
  readonly recipientList: readonly [
    { readonly content?: string; readonly templateParameter?: Readonly<Record<string, string>> },
  ];
}

export function fitsKakao(body: Buffer, limit: number): boolean {
  if (body.length <= limit) return true;
  if (body.length >= OVERSIZED_BYTES) return false;
  const [{ content, templateParameter }] = (JSON.parse(body.toString('utf8')) as KakaoRequest).recipientList;
  return [content ?? '', ...Object.values(templateParameter ?? {})].every((each) => [...each].length <= limit);
}
