import { isPlatform, Platform } from '@tidings/kernel';
import { z } from 'zod';
import { messageFields } from '../messages/message-fields.ts';
import { jsonData } from '../messages/texts.ts';
import { namedPreset } from '../presets/preset-code.ts';
import { boolean, object, optional } from '../values.ts';
import { localizedContent } from './localized-content.ts';
import { openAction } from './open-action.ts';

/** Safari opens the URL of its website, with the block's arguments (R-I22). */
const OWN: ReadonlySet<number> = new Set([
  ...[
    Platform.iOS,
    Platform.Android,
    Platform.Huawei,
    Platform.Amazon,
    Platform.MacOS,
    Platform.Chrome,
    Platform.Firefox,
  ],
  Platform.Windows,
]);

const openActions = z
  .record(z.string(), openAction, { error: 'must be an object' })
  .refine((given) => Object.keys(given).every((code) => isPlatform(Number(code))), 'unknown value')
  .transform((given) =>
    Object.entries(given).flatMap(([code, action]) =>
      OWN.has(Number(code)) ? [{ platform: Number(code), ...action }] : [],
    ),
  );

export const payload = object({
  preset: optional(namedPreset),
  silent: optional(boolean).describe('Whether the push is delivered to the app without being shown.'),
  content: optional(
    object({
      localized_content: localizedContent.describe(
        'Blocks by locale and platform. A locale with a block for the platform, or with `default`, is chosen: the ' +
          'exact language, then `default`, `en`, the first. There the block of the platform precedes `default`.',
      ),
    }),
  ).describe('Texts and settings. Required unless another field of the payload says something.'),
  custom_data: optional(jsonData),
  open_action: optional(openAction).describe(
    'Action of a tap, instead of the action of the preset: one of `link`, `rich_media` and `remote_page`.',
  ),
  open_actions: optional(openActions).describe(
    'Actions by code of the platform, in place of `open_action`. Those of iOS (1), Android (3), macOS (7), Windows ' +
      '(8), Amazon (9), Chrome (11), Firefox (12) and Huawei (17) are used. Other platforms have no action, and ' +
      'theirs are ignored; Safari (10) opens the URL of its website with `url_args`.',
  ),
  voip_push: messageFields.voip_push,
}).check(({ value, issues }) => {
  // A refused value is still here as it was given.
  const own = Array.isArray(value.open_actions) ? value.open_actions : [];
  const actions = [value.open_action, ...own];
  const opens = actions.some((action) => action?.richMedia !== undefined || action?.remotePage !== undefined);
  const shownContent = value.preset ?? value.content ?? value.custom_data;
  if (shownContent !== undefined || opens || value.voip_push || value.silent) return;
  // As in a notification: a link alone shows nothing (R-I14).
  issues.push({ code: 'custom', message: 'must be set', path: ['content'], input: value });
});

export type Payload = z.output<typeof payload>;
