import type { z } from 'zod';
import { alternative } from '../presence.ts';
import { nonEmptyText, optional, textOf } from '../values.ts';
import { type TemplateValue, templateValues } from './template-values.ts';
import { type LocalizedText, plainLocalized } from './texts.ts';

const MAX_TEMPLATE = 512;
const MAX_LANGUAGE = 35;

/** The content of a message to WhatsApp, in createWhatsAppMessage and in notify (R-I27, R-O1). */
export const whatsAppFields = {
  content: alternative(nonEmptyText),
  content_id: alternative(textOf(1, MAX_TEMPLATE)),
  language: optional(textOf(1, MAX_LANGUAGE)),
  content_variables: optional(templateValues()),
  button_url_variables: optional(templateValues({ pattern: /^\d$/, refusal: 'names must be 0 to 9' })),
  header_variables: optional(
    templateValues({
      pattern: /^(text|image|video|document)$/,
      refusal: 'must have one of text, image, video, document',
      max: 1,
    }),
  ),
};

type Fields = { readonly [Name in keyof typeof whatsAppFields]: z.output<(typeof whatsAppFields)[Name]> };

/** The content of a message to WhatsApp: a text, or an approved template with its values. */
export interface GivenWhatsApp {
  /** Absent: the common text. */
  readonly text: LocalizedText | undefined;
  /** Name of the template, which precedes the text. */
  readonly template: string | undefined;
  readonly language: string | undefined;
  readonly body: TemplateValue[];
  /** Named by the positions of the buttons. */
  readonly buttons: TemplateValue[];
  readonly header: TemplateValue | undefined;
}

/** The content in these fields. */
export const whatsAppContent = (given: Fields): GivenWhatsApp => ({
  text: plainLocalized(given.content),
  template: given.content_id,
  language: given.language,
  body: given.content_variables ?? [],
  buttons: given.button_url_variables ?? [],
  header: given.header_variables?.[0],
});
