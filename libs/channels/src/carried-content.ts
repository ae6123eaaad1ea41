import type { Content, Localized, OpenAction } from '@tidings/events';
import { textFor } from '@tidings/messaging';
import { parseObject } from './exact-json.ts';
import { given } from './given-text.ts';

interface OwnContent {
  readonly rootParams?: string | undefined;
  readonly openAction?: OpenAction | undefined;
}

export const saysAny = (texts: readonly (Localized | undefined)[], language: string): boolean =>
  texts.some((each) => given(textFor(each, language)));

/** A link needs a text that leads to it (R-I14). */
const opensPage = ({ pageId, remotePage, richMedia }: OpenAction): boolean =>
  pageId !== undefined || given(remotePage) || given(richMedia);

export const opens = (content: Content, own: OwnContent | undefined): boolean => opensPage(own?.openAction ?? content);

/** Whether a push without texts has something for the app: data, root params, or a page to open. */
export const carries = (content: Content, own: OwnContent | undefined): boolean =>
  content.data !== undefined || Object.keys(parseObject(own?.rootParams)).length > 0 || opens(content, own);
