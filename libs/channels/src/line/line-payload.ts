import type { Content, LineTemplate } from '@tidings/events';
import {
  compilePayload,
  entryFor,
  fileUrl,
  type Fragment,
  json,
  list,
  object,
  OVERSIZED_BYTES,
  rawJson,
  text,
  textFor,
  type TemplateContext,
  token,
  variablesOf,
} from '@tidings/messaging';
import { hasAnyText } from '../carried-content.ts';
import type { ChannelPayload, Push, PushKind } from '../channel-definition.ts';
import { given } from '../given-text.ts';

/** LINE counts UTF-16 code units. */
const LIMIT = 5000;
const ALT_TEXT_LENGTH = 400;
const ACTION_URI_LENGTH = 1000;
const QUOTES = 2;

function templateFragment(template: LineTemplate, { applicationTitle }: Push, context: TemplateContext): Fragment {
  const { kind } = template;
  const alternative = (altText: string | undefined): Fragment =>
    given(altText) ? text(altText, context) : json(applicationTitle.slice(0, ALT_TEXT_LENGTH).toWellFormed());
  switch (kind?.$case) {
    case 'image': {
      const { url: address, previewUrl } = kind.value;
      return object({
        type: json('image'),
        originalContentUrl: fileUrl(address, context),
        previewImageUrl: fileUrl(previewUrl ?? address, context),
      });
    }
    case 'carousel':
      return object({
        type: json('template'),
        altText: alternative(kind.value.altText),
        template: object({
          type: json('image_carousel'),
          columns: list(kind.value.urls.map((address) => columnFragment(fileUrl(address, context)))),
        }),
      });
    case 'flex':
      return object({
        type: json('flex'),
        altText: alternative(kind.value.altText),
        contents: rawJson(kind.value.content),
      });
    case undefined:
      return json(null);
  }
}

const lengthOf = (fragment: Fragment): number =>
  fragment.reduce((length, part) => length + (typeof part === 'string' ? part.length : 0), -QUOTES);

function columnFragment(picture: Fragment): Fragment {
  const opens = { type: json('uri'), uri: picture };
  const nothing = { type: json('postback'), data: json('-') };
  return object({ imageUrl: picture, action: object(lengthOf(picture) <= ACTION_URI_LENGTH ? opens : nothing) });
}

export const lineHasContent = ({ content }: PushKind, language: string): boolean =>
  (content!.line?.templates ?? []).length > 0 ||
  hasAnyText([content!.line?.text ?? content!.text, content!.title], language);

function messageFragment(push: Push, language: string, context: TemplateContext): Fragment {
  const content: Content = push.content!;
  const template = entryFor(content.line?.templates ?? [], language);
  if (template) return templateFragment(template, push, context);
  const body = textFor(content.line?.text ?? content.text, language);
  const shownText = given(body) ? body : (textFor(content.title, language) ?? '');
  return object({ type: json('text'), text: text(shownText, context) });
}

export function linePayload(push: Push, language: string): ChannelPayload {
  const content = push.content!;
  const context = { variables: variablesOf(content), tags: content.tags };
  const whole = object({ to: token, messages: list([messageFragment(push, language, context)]) });
  return { payload: compilePayload(whole), limit: LIMIT };
}

interface LineRequest {
  readonly messages: readonly { readonly text?: string }[];
}

export function fitsLine(body: Buffer, limit: number): boolean {
  if (body.length <= limit) return true;
  if (body.length >= OVERSIZED_BYTES) return false;
  const { messages } = JSON.parse(body.toString('utf8')) as LineRequest;
  return messages.every((message) => (message.text?.length ?? 0) <= limit);
}
