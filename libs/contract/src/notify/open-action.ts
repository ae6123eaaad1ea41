import type { z } from 'zod';
import { alternative } from '../presence.ts';
import { nonEmptyText, object, optional, text } from '../values.ts';

const SHORTENER = /^[A-Z][A-Z0-9_]*$/;
const shortener = text
  .refine((word) => SHORTENER.test(word), 'must be NONE or the name of a shortener')
  .meta({ pattern: SHORTENER.source });

export const openAction = object({
  link: alternative(
    object({
      url: nonEmptyText.describe('The URL. It may contain placeholders.'),
      shortener: optional(shortener).describe(
        '`NONE`, the default, keeps the URL; the name of a shortener replaces it by a short one.',
      ),
    }),
  ).describe('A URL to open.'),
  rich_media: alternative(object({ code: nonEmptyText.describe('Code of the page.') })).describe(
    'A page of rich media.',
  ),
  remote_page: alternative(
    object({ url: nonEmptyText.describe('URL of the page. It may contain placeholders.') }),
  ).describe('A page on the web.'),
})
  .refine(
    ({ link, rich_media, remote_page }) =>
      [link, rich_media, remote_page].filter((each) => each !== undefined).length === 1,
    'exactly one of link, rich_media, remote_page is required',
  )
  .transform(({ link, rich_media: page, remote_page: remote }) => ({
    link: link?.url,
    shortenLink: link !== undefined && (link.shortener ?? 'NONE') !== 'NONE',
    richMedia: page?.code,
    remotePage: remote?.url,
  }));

export type OpenAction = z.output<typeof openAction>;
