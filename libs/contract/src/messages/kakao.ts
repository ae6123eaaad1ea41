import type { z } from 'zod';
import { nonEmptyText, optional, textOf } from '../values.ts';
import { type TemplateValue, templateValues } from './template-values.ts';

const MAX_TEMPLATE = 100;

export const kakaoFields = {
  template: textOf(1, MAX_TEMPLATE).describe('Code of the approved template.'),
  content: optional(nonEmptyText).describe(
    'Whole text of the message, which must match the template; `content_variables` fill `#{name}` and `{{name}}` ' +
      'in it.',
  ),
  content_variables: optional(templateValues()).describe('Values of the variables, as JSON text.'),
};

type Fields = { readonly [Name in keyof typeof kakaoFields]: z.output<(typeof kakaoFields)[Name]> };

export interface GivenKakao {
  readonly template: string;
  readonly values: TemplateValue[];
  readonly text: string | undefined;
}

export const kakaoContent = ({ template, content, content_variables: values = [] }: Fields): GivenKakao => ({
  template,
  values,
  text: content,
});
