import type { Content, OpenAction } from '@tidings/events';
import { type Fragment, json, type TemplateContext, url } from '@tidings/messaging';
import { given } from './given-text.ts';

type Target = OpenAction & Partial<Pick<Content, 'deepLinkId' | 'deepLinkParams'>>;

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
