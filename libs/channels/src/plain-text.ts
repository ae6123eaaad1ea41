import type { Localized } from '@tidings/events';

export const plainText = (text: string | undefined): Localized | undefined =>
  text === undefined ? undefined : { entries: [{ language: 'default', text }] };
