import type { Content, OpenAction } from '@tidings/events';
import { type Fragment, json, type TemplateContext, url } from '@tidings/messaging';
import { given } from './given-text.ts';

/** The target of a tap; a deep link is that of a preset (Spec K). */
type Target = OpenAction & Partial<Pick<Content, 'deepLinkId' | 'deepLinkParams'>>;

/**
 * The target of a tap on the push, by the keys that clients read: a link, an HTML page, a remote page, a page of rich media (R-I30), and the number
 * and the parameters of a deep link.
 * @param objectOf a JSON object in the form that clients of the platform read
 */
export function openActionFragments(
  { link, pageId, remotePage, richMedia, deepLinkId, deepLinkParams }: Target,
  context: TemplateContext,
  objectOf: (text: string) => Fragment,
): Record<string, Fragment | undefined> {
  const address = (template: string | undefined): Fragment | undefined =>
    given(template) ? url(template, context) : undefined;
  return {
    l: address(link),
    h: pageId === undefined ? undefined : json(String(pageId)),
    r: address(remotePage),
    rm: given(richMedia) ? objectOf(JSON.stringify({ code: richMedia })) : undefined,
    deep_link_id: deepLinkId === undefined ? undefined : json(String(deepLinkId)),
    deep_link_params: given(deepLinkParams) ? objectOf(deepLinkParams) : undefined,
  };
}
