import { z } from 'zod';
import { alternative } from '../presence.ts';
import { array, mustBeSet, object, optional, text, textOf } from '../values.ts';
import { jsonObject, type LocalizedText } from './texts.ts';

const TEXT_LENGTH = 5000;
const URL_LENGTH = 2000;

/** LINE counts UTF-16 code units (R-I26, R-LM4). */
export const lineText = text
  .refine((value) => value.length >= 1 && value.length <= TEXT_LENGTH, `must be 1 to ${TEXT_LENGTH} characters`)
  .meta({ minLength: 1, maxLength: TEXT_LENGTH });

/** LINE checks size and type (R-I26). */
const picture = textOf(1, URL_LENGTH)
  .refine((url) => url.startsWith('https://'), 'must be a URL of https')
  .meta({ pattern: '^https://' });

const ALT_TEXT_LENGTH = 400;
const altText = optional(
  text
    .refine((value) => value.length <= ALT_TEXT_LENGTH, `at most ${ALT_TEXT_LENGTH} characters`)
    .meta({ maxLength: ALT_TEXT_LENGTH }),
).describe('Text shown where the template cannot be, up to 400 characters; the title of the application if left out.');

const image = object({
  alt_text: altText.describe('At most 400 characters. LINE shows a picture without it.'),
  image_url: optional(picture).describe(
    'URL of the picture: https, JPEG or PNG, up to 2,000 characters and 10 MB. It may contain placeholders.',
  ),
  preview_image_url: optional(picture).describe(
    'URL of a smaller picture: https, up to 2,000 characters and 1 MB; the picture itself if left out. It may ' +
      'contain placeholders.',
  ),
})
  .refine((given) => given.image_url !== undefined, mustBeSet('image_url'))
  .transform(({ image_url: url, preview_image_url: previewUrl }) => ({ url: url!, previewUrl }));

const column = object({
  image_url: optional(picture).describe(
    'URL of the picture: https, up to 2,000 characters. It may contain placeholders.',
  ),
}).refine((given) => given.image_url !== undefined, mustBeSet('image_url'));

const carousel = object({
  alt_text: altText,
  columns: array(column)
    .min(1, 'must have 1 to 10 entries')
    .max(10, 'must have 1 to 10 entries')
    .describe('The pictures, 1 to 10.'),
}).transform(({ alt_text: alternativeText, columns }) => ({
  altText: alternativeText,
  urls: columns.map(({ image_url: url }) => url!),
}));

const flex = object({
  alt_text: altText,
  content: optional(jsonObject).describe('The layout, a bubble or a carousel. Placeholders in it are not replaced.'),
})
  .refine((given) => given.content !== undefined, mustBeSet('content'))
  .transform(({ alt_text: alternativeText, content }) => ({ altText: alternativeText, content: content! }));

const template = object({
  image: alternative(image).describe('A picture.'),
  image_carousel: alternative(carousel).describe('Pictures side by side, each of which opens at a tap.'),
  raw: alternative(flex).describe('A layout in the format of Flex Messages.'),
})
  .refine(
    ({ image: a, image_carousel: b, raw: c }) => [a, b, c].filter((each) => each !== undefined).length === 1,
    'exactly one of image, image_carousel, raw is required',
  )
  .transform((given) => {
    if (given.image) return { $case: 'image', value: given.image } as const;
    if (given.image_carousel) return { $case: 'carousel', value: given.image_carousel } as const;
    return { $case: 'flex', value: given.raw! } as const;
  });

/** Keys are compared in lower case (R-I15, R-I26). */
export const lineTemplates = z
  .record(z.string(), template, { error: 'must be an object' })
  .refine((given) => Object.keys(given).length > 0, 'must not be empty')
  .transform((given) => Object.entries(given).map(([key, kind]) => ({ language: key.toLowerCase(), kind })));

export interface LineContent {
  readonly text: LocalizedText | undefined;
  readonly templates: z.output<typeof lineTemplates>;
}
