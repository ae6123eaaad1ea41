import { phoneNumberOf, whatsAppHwidOf } from './phone.ts';

/** R-RES24 */
export const Platform = {
  iOS: 1,
  Blackberry: 2,
  Android: 3,
  WindowsPhone: 5,
  MacOS: 7,
  Windows: 8,
  Amazon: 9,
  Safari: 10,
  Chrome: 11,
  Firefox: 12,
  InternetExplorer: 13,
  Email: 14,
  Huawei: 17,
  Sms: 18,
  Xiaomi: 19,
  WhatsApp: 21,
  Kakao: 22,
  Line: 23,
} as const;

export type PlatformCode = (typeof Platform)[keyof typeof Platform];

export const platformCodes: readonly PlatformCode[] = Object.values(Platform);

export const isPlatform = (code: number): code is PlatformCode => (platformCodes as readonly number[]).includes(code);

export const channels = [
  'apns',
  'fcm',
  'webpush',
  'email',
  'hms',
  'adm',
  'whatsapp',
  'wns',
  'line',
  'sms',
  'kakao',
] as const;

export type Channel = (typeof channels)[number];

/** R-C2 */
export type AddressKind = 'token' | 'endpoint' | 'email' | 'phone' | 'whatsapp' | 'account';

const addressKinds: Readonly<Record<PlatformCode, AddressKind>> = {
  [Platform.iOS]: 'token',
  [Platform.Blackberry]: 'token',
  [Platform.Android]: 'token',
  [Platform.WindowsPhone]: 'token',
  [Platform.MacOS]: 'token',
  [Platform.Windows]: 'token',
  [Platform.Amazon]: 'token',
  [Platform.Safari]: 'token',
  [Platform.Chrome]: 'endpoint',
  [Platform.Firefox]: 'endpoint',
  [Platform.InternetExplorer]: 'token',
  [Platform.Email]: 'email',
  [Platform.Huawei]: 'token',
  [Platform.Sms]: 'phone',
  [Platform.Xiaomi]: 'token',
  [Platform.WhatsApp]: 'whatsapp',
  [Platform.Kakao]: 'account',
  [Platform.Line]: 'account',
};

export const addressKindOf = (code: number): AddressKind | undefined =>
  isPlatform(code) ? addressKinds[code] : undefined;

const legacy: ReadonlySet<number> = new Set([
  Platform.Blackberry,
  Platform.WindowsPhone,
  Platform.InternetExplorer,
  Platform.Xiaomi,
]);

export const isRegistrable = (code: number): boolean => isPlatform(code) && !legacy.has(code);

export function isPushPlatform(code: number): boolean {
  const kind = addressKindOf(code);
  return kind === 'token' || kind === 'endpoint';
}

export const pushPlatforms: readonly PlatformCode[] = platformCodes.filter(isPushPlatform);

export function hwidOn(platform: number, given: string): string | undefined {
  const kind = addressKindOf(platform);
  if (kind === 'phone') return phoneNumberOf(given);
  return kind === 'whatsapp' ? whatsAppHwidOf(given) : given;
}
