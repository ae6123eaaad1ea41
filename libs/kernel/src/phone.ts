const WHATSAPP = 'whatsapp:';
const PUNCTUATION = /[\s()-]/g;
/** Digits that can only be a number whose `+` was left out. */
const WITHOUT_PLUS = /^[1-9]\d{10,14}$/;
const NUMBER = /^\+[1-9]\d{6,14}$/;

/**
 * A phone number in the form of E.164, which is the hwid of an SMS contact; undefined for what is none. Spaces, hyphens and parentheses are
 * dropped, and a missing `+` is added before 11 to 15 digits (R-C2).
 */
export function phoneNumberOf(text: string): string | undefined {
  const digits = text.replace(PUNCTUATION, '');
  const full = WITHOUT_PLUS.test(digits) ? `+${digits}` : digits;
  return NUMBER.test(full) ? full : undefined;
}

/** The hwid of a WhatsApp contact by its number, which may have that form already; undefined for what is no number (R-C2). */
export function whatsAppHwidOf(text: string): string | undefined {
  const number = phoneNumberOf(text.startsWith(WHATSAPP) ? text.slice(WHATSAPP.length) : text);
  return number === undefined ? undefined : `${WHATSAPP}${number}`;
}

/** True for a hwid that names a WhatsApp contact, in whatever spelling. */
export const isWhatsAppHwid = (hwid: string): boolean => hwid.startsWith(WHATSAPP);
