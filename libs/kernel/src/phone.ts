const WHATSAPP = 'whatsapp:';
const PUNCTUATION = /[\s()-]/g;
const WITHOUT_PLUS = /^[1-9]\d{10,14}$/;
const NUMBER = /^\+[1-9]\d{6,14}$/;

/** E.164; adds a missing `+` before 11 to 15 digits. */
export function phoneNumberOf(text: string): string | undefined {
  const digits = text.replace(PUNCTUATION, '');
  const full = WITHOUT_PLUS.test(digits) ? `+${digits}` : digits;
  return NUMBER.test(full) ? full : undefined;
}

export function whatsAppHwidOf(text: string): string | undefined {
  const number = phoneNumberOf(text.startsWith(WHATSAPP) ? text.slice(WHATSAPP.length) : text);
  return number === undefined ? undefined : `${WHATSAPP}${number}`;
}

export const isWhatsAppHwid = (hwid: string): boolean => hwid.startsWith(WHATSAPP);
