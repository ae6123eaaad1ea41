const WHATSAPP = 'whatsapp:';
const PUNCTUATION = /[\s()-]/g;
/** Digits of a number without its `+`. */
const WITHOUT_PLUS = /^[1-9]\d{10,14}$/;
const NUMBER = /^\+[1-9]\d{6,14}$/;

/**
 * An E.164 phone number, which is the hwid of an SMS contact; undefined if invalid. Spaces, hyphens and parentheses are dropped, and a missing `+` is
 * added before 11 to 15 digits (R-C2).
 */
export function phoneNumberOf(text: string): string | undefined {
  const digits = text.replace(PUNCTUATION, '');
  const full = WITHOUT_PLUS.test(digits) ? `+${digits}` : digits;
  return NUMBER.test(full) ? full : undefined;
}

/** The hwid of a WhatsApp contact by its number, which may have that form already; undefined for an invalid number (R-C2). */
export function whatsAppHwidOf(text: string): string | undefined {
  const number = phoneNumberOf(text.startsWith(WHATSAPP) ? text.slice(WHATSAPP.length) : text);
  return number === undefined ? undefined : `${WHATSAPP}${number}`;
}

/** Whether the hwid identifies a WhatsApp contact, in any spelling. */
export const isWhatsAppHwid = (hwid: string): boolean => hwid.startsWith(WHATSAPP);
