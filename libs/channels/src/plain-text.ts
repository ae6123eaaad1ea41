import type { Localized } from '@tidings/events';

/** A text that is the same in every language. */
export const plainText = (text: string | undefined): Localized | undefined =>
  text === undefined ? undefined : { entries: [{ language: 'default', text }] };
