import { isRegistrable, phoneNumberOf, whatsAppHwidOf } from '@tidings/kernel';
import { anyText, atMost, identityOf, integer, integerOf, oneOf, optional, text, whole } from '../values.ts';

const HWID_MAX = 255;

export const HWID =
  'Identifies the device in its application; case-sensitive. The hwid of an SMS contact is the phone number, of a ' +
  'WhatsApp contact `whatsapp:` and the number, of an e-mail contact usually the address.';

/** Case-sensitive (R-RES2). */
export const hwid = anyText
  .refine((value) => value !== '' && value.isWellFormed() && atMost(value, HWID_MAX), whole('Hwid is not valid'))
  .meta({ minLength: 1, maxLength: HWID_MAX })
  .describe(HWID);

export const userId = identityOf(1, 255).describe(
  'Identifies the user of the device. A device without a user ID is its own user.',
);

const LANGUAGE = 'Language of the user, an ISO 639-1 code. A region is dropped: `en-GB` means `en`.';

const languageIn = (value: string): string => value.toLowerCase().replace(/[-_].*/s, '');
const isLanguage = (value: string): boolean => /^[a-z]{2,3}$/.test(value);

/** In lower case, without its region (R-RES4). */
export const language = text.transform(languageIn).refine(isLanguage, 'must be a two-letter code').describe(LANGUAGE);

/** An invalid one counts as not given, since a refusal would lose the device (R-RES4). */
export const deviceLanguage = optional(text)
  .transform((value) => {
    const spoken = value === undefined ? '' : languageIn(value);
    return isLanguage(spoken) ? spoken : undefined;
  })
  .describe(LANGUAGE);

export const timezoneSeconds = integerOf(-43_200, 50_400).describe(
  'Offset of the device from UTC in seconds, -43200 to 50400.',
);

/** Undefined if invalid: it must not fail a registration (R-C3, R-RES18). */
const country = text.transform((value) => (/^[A-Za-z]{2}$/.test(value) ? value.toUpperCase() : undefined));

export const contactTimezone = timezoneSeconds.describe('Offset of the contact from UTC in seconds, -43200 to 50400.');

export const placeFields = {
  country: optional(country).describe('Country of the user, an ISO 3166 two-letter code. Other values are skipped.'),
  city: optional(text).describe('City of the user.'),
};

export const PLATFORM_CODES =
  '1 iOS, 3 Android, 7 macOS, 8 Windows, 9 Amazon, 10 Safari, 11 Chrome, 12 Firefox, 14 e-mail, 17 Huawei, 18 SMS, ' +
  '21 WhatsApp, 22 Kakao, 23 LINE';

export const deviceType = integer
  .refine(isRegistrable, 'unknown platform')
  .describe(`Platform of the device: ${PLATFORM_CODES}.`);

/** The caller may not be registered yet: an unknown device gets a record without a token (R-C7). */
export const earlyDeviceType = optional(deviceType).meta({
  constraint:
    'If the hwid is unknown, creates a record of this push platform without a push token, for the registration ' +
    'that follows',
});

export const sdk = {
  ios: oneOf(['pw', 'corona']),
  android: oneOf(['pw', 'corona', 'phonegap']),
};

const contactHwid = (hwidOf: (text: string) => string | undefined) =>
  anyText.transform((value) => hwidOf(value) ?? '').refine((found) => found !== '', whole('Hwid is not valid'));

export const smsNumber = contactHwid(phoneNumberOf);

/** With or without `whatsapp:` (R-C2). */
export const whatsAppNumber = contactHwid(whatsAppHwidOf);
