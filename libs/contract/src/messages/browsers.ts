import type { z } from 'zod';
import { integerOf, optional, text } from '../values.ts';
import { ttl, UINT32_MAX } from './ios.ts';
import { localized } from './texts.ts';

export const chromeFields = {
  chrome_title: optional(localized).describe('Replaces `title` on Chrome.'),
  chrome_icon: optional(text).describe('URL of the icon of the notification.'),
  chrome_gcm_ttl: optional(ttl),
  chrome_duration: optional(integerOf(0, UINT32_MAX)).describe(
    'Seconds for which the notification stays; 0 keeps it until somebody reacts to it.',
  ),
  chrome_image: optional(text).describe('URL of a picture to show.'),
  chrome_button_text1: optional(text).describe('Label of the first button.'),
  chrome_button_url1: optional(text).describe('URL that the first button opens; ignored without its label.'),
  chrome_button_text2: optional(text).describe('Label of the second button.'),
  chrome_button_url2: optional(text).describe('URL that the second button opens; ignored without its label.'),
};

export const firefoxFields = {
  firefox_title: optional(localized).describe('Replaces `title` on Firefox.'),
  firefox_icon: optional(text).describe('URL of the icon of the notification.'),
};

type Of<Fields> = { [Name in keyof Fields]: z.output<Fields[Name]> };

interface ChromeInNotify {
  readonly chrome_root_params?: string | undefined;
  readonly chrome_silent?: boolean | undefined;
}

interface FirefoxInNotify {
  readonly firefox_ttl?: number | undefined;
  readonly firefox_root_params?: string | undefined;
  readonly firefox_silent?: boolean | undefined;
}

export const chromeContent = (fields: Of<typeof chromeFields> & ChromeInNotify) => ({
  title: fields.chrome_title,
  icon: fields.chrome_icon,
  ttlSeconds: fields.chrome_gcm_ttl,
  durationSeconds: fields.chrome_duration,
  image: fields.chrome_image,
  buttonText1: fields.chrome_button_text1,
  buttonUrl1: fields.chrome_button_url1,
  buttonText2: fields.chrome_button_text2,
  buttonUrl2: fields.chrome_button_url2,
  rootParams: fields.chrome_root_params,
  silent: fields.chrome_silent,
});

export const firefoxContent = (fields: Of<typeof firefoxFields> & FirefoxInNotify) => ({
  title: fields.firefox_title,
  icon: fields.firefox_icon,
  ttlSeconds: fields.firefox_ttl,
  rootParams: fields.firefox_root_params,
  silent: fields.firefox_silent,
});
