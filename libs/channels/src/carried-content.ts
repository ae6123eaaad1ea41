import type { Content, Localized, OpenAction } from '@tidings/events';
import { textFor } from '@tidings/messaging';
import { parseObject } from './exact-json.ts';
import { given } from './given-text.ts';

interface OwnContent {
  readonly rootParams?: string | undefined;
  readonly openAction?: OpenAction | undefined;
}

export const hasAnyText = (texts: readonly (Localized | undefined)[], language: string): boolean =>
  texts.some((each) => given(textFor(each, language)));

const opensPage = ({ pageId, remotePage, richMedia }: OpenAction): boolean =>
  pageId !== undefined || given(remotePage) || given(richMedia);

export const opens = (content: Content, own: OwnContent | undefined): boolean => opensPage(own?.openAction ?? content);

export const carries = (content: Content, own: OwnContent | undefined): boolean =>
  content.data !== undefined || Object.keys(parseObject(own?.rootParams)).length > 0 || opens(content, own);
