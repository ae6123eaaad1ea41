import type { z } from 'zod';
import { nonEmptyText, optional, textOf } from '../values.ts';
import { type TemplateValue, templateValues } from './template-values.ts';

const MAX_TEMPLATE = 100;

/** The fields of the block `kakao` of notify (R-O1). */
export const kakaoFields = {
  template: textOf(1, MAX_TEMPLATE),
  content: optional(nonEmptyText),
  content_variables: optional(templateValues()),
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
