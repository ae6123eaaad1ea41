import type { z } from 'zod';
import { alternative } from '../presence.ts';
import { nonEmptyText, optional, textOf } from '../values.ts';
import { type TemplateValue, templateValues } from './template-values.ts';
import { type LocalizedText, plainLocalized } from './texts.ts';

const MAX_TEMPLATE = 512;
const MAX_LANGUAGE = 35;

export const whatsAppFields = {
  content: alternative(nonEmptyText).describe(
    'Text of the message, which may contain placeholders. Required without `content_id` and `preset`.',
  ),
  content_id: alternative(textOf(1, MAX_TEMPLATE)).describe(
    'Name of the approved template, which is sent in place of the text.',
  ),
  language: optional(textOf(1, MAX_LANGUAGE)).describe('Language of the template, `en_US` if left out.'),
  content_variables: optional(templateValues()).describe(
    'Values of the body of the template, by number or by name. An object of texts, or JSON text of one, of up to ' +
      '100 entries.',
  ),
  button_url_variables: optional(templateValues({ pattern: /^\d$/, refusal: 'names must be 0 to 9' })).describe(
    'Ends of the URLs of the buttons of the template, by the position of the button from 0. An object of texts, or ' +
      'JSON text of one, of up to 100 entries.',
  ),
  header_variables: optional(
    templateValues({
      pattern: /^(text|image|video|document)$/,
      refusal: 'must have one of text, image, video, document',
      max: 1,
    }),
  ).describe(
    'Value of the header of the template by its kind: `text`, or the URL or id of an `image`, `video` or ' +
      '`document`. An object of texts, or JSON text of one, of up to 100 entries.',
  ),
};

type Fields = { readonly [Name in keyof typeof whatsAppFields]: z.output<(typeof whatsAppFields)[Name]> };

export interface GivenWhatsApp {
  readonly text: LocalizedText | undefined;
  /** It precedes the text. */
  readonly template: string | undefined;
  readonly language: string | undefined;
  readonly body: TemplateValue[];
  /** By the positions of the buttons. */
  readonly buttons: TemplateValue[];
  readonly header: TemplateValue | undefined;
}

export const whatsAppContent = (given: Fields): GivenWhatsApp => ({
  text: plainLocalized(given.content),
  template: given.content_id,
  language: given.language,
  body: given.content_variables ?? [],
  buttons: given.button_url_variables ?? [],
  header: given.header_variables?.[0],
});
