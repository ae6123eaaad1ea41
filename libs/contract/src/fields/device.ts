import { anyText, atMost, integer, integerOf, oneOf, text, textOf, whole } from '../values.ts';

const HWID_MAX = 255;

/** Identifies a device in its application; case-sensitive (R-RES2). Too long is as wrong as any other form. */
export const hwid = anyText.refine((value) => value !== '' && atMost(value, HWID_MAX), whole('Hwid is not valid'));

/** Identifies a user; a device without one is its own (R-RES3). */
export const userId = textOf(1, 255);

/** A language, in lower case and without its region (R-RES4). */
export const language = text
  .transform((value) => value.toLowerCase().replace(/[-_].*$/s, ''))
  .refine((value) => /^[a-z]{2,3}$/.test(value), 'must be a two-letter code');

/** A device's offset from UTC in seconds (R-RES4). */
export const timezoneSeconds = integerOf(-43_200, 50_400);

/** A country code in upper case, or undefined for what is none: it must not cost a registration (R-C3, R-RES18). */
export const country = text.transform((value) => (/^[A-Za-z]{2}$/.test(value) ? value.toUpperCase() : undefined));

const registrable: ReadonlySet<number> = new Set([1, 3, 7, 8, 9, 10, 11, 12, 14, 17, 18, 21, 22, 23]);

/** A platform code that registerDevice takes (Spec, Platform codes; R-RES24). */
export const deviceType = integer.refine((code) => registrable.has(code), 'unknown platform');

export const sdk = {
  ios: oneOf(['pw', 'corona']),
  android: oneOf(['pw', 'corona', 'phonegap']),
};

/** A phone number in the form of E.164 (R-C2). */
export const phoneNumber = anyText.refine((value) => /^\+[1-9][0-9]{6,14}$/.test(value), whole('Hwid is not valid'));
