import type { z } from 'zod';
import { nonEmptyText, optional, textOf } from '../values.ts';
import { type TemplateValue, templateValues } from './template-values.ts';

const MAX_TEMPLATE = 100;

/** The fields of the block `kakao` of notify (R-O1). */
export const kakaoFields = {
  template: textOf(1, MAX_TEMPLATE).describe('Code of the approved template.'),
  content: optional(nonEmptyText).describe(
    'Whole text of the message, which must match the template; `content_variables` fill `#{name}` and `{{name}}` ' +
      'in it.',
  ),
  content_variables: optional(templateValues()).describe('Values of the variables, as JSON text.'),
};

type Fields = { readonly [Name in keyof typeof kakaoFields]: z.output<(typeof kakaoFields)[Name]> };

/** The content of a message to Kakao: an approved template with its values, or the whole text. */
export interface GivenKakao {
  /** Code of the template. */
  readonly template: string;
  readonly values: TemplateValue[];
  readonly text: string | undefined;
}

/** The content in these fields. */
export const kakaoContent = ({ template, content, content_variables: values = [] }: Fields): GivenKakao => ({
  template,
  values,
  text: content,
});
