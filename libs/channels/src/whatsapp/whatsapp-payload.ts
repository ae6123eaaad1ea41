import type { TemplateValue, WhatsAppContent } from '@tidings/events';
import {
  compilePayload,
  fileUrl,
  type Fragment,
  json,
  list,
  type MessageKey,
  object,
  OVERSIZED_BYTES,
  parseTemplate,
  receiptKey,
  requestValue,
  text,
  textFor,
  type TemplateContext,
  tokenWithout,
  url,
  variablesOf,
} from '@tidings/messaging';
import type { ChannelPayload, Push } from '../channel-definition.ts';

const LIMIT = 4096;
const PREFIX = 'whatsapp:';
const LANGUAGE = 'en_US';

const isNumber = ({ name }: TemplateValue): boolean => /^\d+$/.test(name);

function bodyParameters(values: readonly TemplateValue[], context: TemplateContext): Fragment[] {
  const type = json('text');
  if (!values.every(isNumber)) {
    return values.map((value) => object({ type, parameter_name: json(value.name), text: text(value.text, context) }));
  }
  const inOrder = values.toSorted((a, b) => Number(a.name) - Number(b.name));
  return inOrder.map((value) => object({ type, text: text(value.text, context) }));
}

const isUrl = (value: string): boolean => /^https?:\/\//i.test(value);

function fileOf(value: string, context: TemplateContext): Fragment {
  if (isUrl(value)) return object({ link: fileUrl(value, context) });
  const [first] = parseTemplate(value);
  if (typeof first !== 'object') return object({ id: text(value, context) });
  const isLink = isUrl(requestValue(first.name, context.variables) ?? 'https://');
  return object(isLink ? { link: fileUrl(value, context) } : { id: text(value, context) });
}

const headerParameter = ({ name: kind, text: value }: TemplateValue, context: TemplateContext): Fragment =>
  object({ type: json(kind), [kind]: kind === 'text' ? text(value, context) : fileOf(value, context) });

const component = (type: string, parameters: readonly Fragment[], more: Readonly<Record<string, Fragment>> = {}) =>
  object({ type: json(type), ...more, parameters: list(parameters) });

function componentsOf({ header, body, buttons }: WhatsAppContent, context: TemplateContext): Fragment | undefined {
  const components = [
    ...(header ? [component('header', [headerParameter(header, context)])] : []),
    ...(body.length > 0 ? [component('body', bodyParameters(body, context))] : []),
    ...buttons.map((button) =>
      component('button', [object({ type: json('text'), text: url(button.text, context) })], {
        sub_type: json('url'),
        index: json(button.name),
      }),
    ),
  ];
  return components.length === 0 ? undefined : list(components);
}

function contentFragments(push: Push, language: string, context: TemplateContext): Record<string, Fragment> {
  const content = push.content!;
  const { whatsApp } = content;
  if (whatsApp?.template !== undefined) {
    const { template: name, language: code = LANGUAGE } = whatsApp;
    const components = componentsOf(whatsApp, context);
    return {
      type: json('template'),
      template: object({ name: json(name), language: json({ code }), components }),
    };
  }
  const body = textFor(whatsApp?.text ?? content.text, language) ?? '';
  return { type: json('text'), text: object({ body: text(body, context) }) };
}

export function whatsAppPayload(push: Push, language: string, key: MessageKey): ChannelPayload {
  const content = push.content!;
  const context = { variables: variablesOf(content), tags: content.tags };
  const hash = { messageId: push.messageId, campaignId: push.campaignId, code: push.message };
  const whole = object({
    messaging_product: json('whatsapp'),
    recipient_type: json('individual'),
    to: tokenWithout(PREFIX),
    ...contentFragments(push, language, context),
    biz_opaque_callback_data: receiptKey(hash, key),
  });
  return { payload: compilePayload(whole), limit: LIMIT };
}

interface WhatsAppRequest {
  readonly text?: { readonly body: string };
}

export function fitsWhatsApp(body: Buffer, limit: number): boolean {
  if (body.length <= limit) return true;
  if (body.length >= OVERSIZED_BYTES) return false;
  const { text: sent } = JSON.parse(body.toString('utf8')) as WhatsAppRequest;
  return sent === undefined || [...sent.body].length <= limit;
}
