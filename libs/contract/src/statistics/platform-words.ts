import { Platform, type PlatformCode } from '@tidings/kernel';

export const platformWords = {
  IOS: Platform.iOS,
  ANDROID: Platform.Android,
  OSX: Platform.MacOS,
  WINDOWS: Platform.Windows,
  AMAZON: Platform.Amazon,
  SAFARI: Platform.Safari,
  CHROME: Platform.Chrome,
  FIREFOX: Platform.Firefox,
  IE: Platform.InternetExplorer,
  EMAIL: Platform.Email,
  HUAWEI_ANDROID: Platform.Huawei,
  SMS: Platform.Sms,
  WHATS_APP: Platform.WhatsApp,
  KAKAO: Platform.Kakao,
  LINE: Platform.Line,
} as const satisfies Record<string, PlatformCode>;

export type PlatformWord = keyof typeof platformWords;

export const isPlatformWord = (word: string): word is PlatformWord => Object.hasOwn(platformWords, word);

const words = new Map<number, PlatformWord>(
  Object.entries(platformWords).map(([word, code]) => [code, word as PlatformWord]),
);

export const platformWordOf = (code: number): PlatformWord | undefined => words.get(code);
