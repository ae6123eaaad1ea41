import { isRegistrable, Platform } from '@tidings/kernel';

/** Undefined instead of '', which would be a value. */
export const given = (text: string): string | undefined => (text === '' ? undefined : text);

/** `en-GB`, `en_GB` and `EN` are `en`. */
export const languageOf = (text: string): string | undefined => {
  const [language = ''] = text.toLowerCase().split(/[-_]/, 1);
  return /^[a-z]{2,3}$/.test(language) ? language : undefined;
};

const HOUR = 3_600;
const LAST_WEST = -12 * HOUR;
const LAST_EAST = 14 * HOUR;

const zones = new Map<string, number | undefined>();
const OFFSET = /^GMT(?:([+-])(\d{2}):(\d{2}))?$/;

function currentOffset(zone: string): number | undefined {
  try {
    const format = new Intl.DateTimeFormat('en', { timeZone: zone, timeZoneName: 'longOffset' });
    const name = format.formatToParts().find(({ type }) => type === 'timeZoneName')?.value ?? '';
    const [, sign, hours = '0', minutes = '0'] = OFFSET.exec(name) ?? [];
    return (sign === '-' ? -1 : 1) * (Number(hours) * HOUR + Number(minutes) * 60);
  } catch {
    return undefined;
  }
}

/** Seconds, or the present offset of a named zone. */
export function timezoneOf(text: string): number | undefined {
  if (/^[+-]?\d{1,6}(\.0+)?$/.test(text)) {
    const seconds = Number(text);
    return seconds >= LAST_WEST && seconds <= LAST_EAST ? seconds : undefined;
  }
  if (text === '') return undefined;
  if (!zones.has(text)) zones.set(text, currentOffset(text));
  return zones.get(text);
}

const words: Readonly<Record<string, number>> = {
  ios: Platform.iOS,
  android: Platform.Android,
  macos: Platform.MacOS,
  windows: Platform.Windows,
  amazon: Platform.Amazon,
  safari: Platform.Safari,
  chrome: Platform.Chrome,
  firefox: Platform.Firefox,
  email: Platform.Email,
  huawei: Platform.Huawei,
  sms: Platform.Sms,
  whatsapp: Platform.WhatsApp,
  kakao: Platform.Kakao,
  line: Platform.Line,
};

export const platformWords = Object.keys(words);

export const platformName = (code: number): string => platformWords.find((word) => words[word] === code) ?? `${code}`;

/** By its code or its name. */
export function platformOf(text: string): number | undefined {
  const code = /^\d{1,3}$/.test(text) ? Number(text) : words[text.toLowerCase().replaceAll(/[\s_-]/g, '')];
  return code !== undefined && isRegistrable(code) ? code : undefined;
}

const TRUE = new Set(['t', 'true', 'y', 'yes', '1']);

export const isTrue = (text: string): boolean => TRUE.has(text.toLowerCase());

/** A list as JSON, or separated. */
export function listOf(text: string, separator: string): string[] {
  if (text.startsWith('[')) {
    try {
      const list: unknown = JSON.parse(text);
      if (Array.isArray(list)) return list.map(String);
    } catch {
      // It is a text that begins with a bracket.
    }
  }
  return text
    .split(separator)
    .map((item) => item.trim())
    .filter((item) => item !== '');
}
