import type { OpenAction } from '@tidings/events';
import { type Fragment, json, type TemplateContext, url } from '@tidings/messaging';
import { given } from './given-text.ts';

/**
 * The target of a tap on the push, by the keys that clients read: a link, an HTML page, a remote page, a page of rich media (R-I30).
 * @param richMediaOf rich media in the form that clients of the platform read
 */
export function openActionFragments(
  { link, pageId, remotePage, richMedia }: OpenAction,
  context: TemplateContext,
  richMediaOf: (page: { readonly code: string }) => unknown,
): Record<string, Fragment | undefined> {
  const address = (template: string | undefined): Fragment | undefined =>
    given(template) ? url(template, context) : undefined;
  return {
    l: address(link),
    h: pageId === undefined ? undefined : json(String(pageId)),
    r: address(remotePage),
    rm: given(richMedia) ? json(richMediaOf({ code: richMedia })) : undefined,
  };
}
