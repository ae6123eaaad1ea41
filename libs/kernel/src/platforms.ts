import { phoneNumberOf, whatsAppHwidOf } from './phone.ts';

/** Platform codes of the API (Spec, Platform codes; R-RES24). */
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

/** Every valid code in `platforms` of requests. */
export const platformCodes: readonly PlatformCode[] = Object.values(Platform);

export const isPlatform = (code: number): code is PlatformCode => (platformCodes as readonly number[]).includes(code);

/** Each channel has a dispatcher; `libs/channels` defines its platforms. */
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

/**
 * The kind of address of a platform (Spec, Device; R-RES2, R-C2): a provider's token, the endpoint of a web push subscription, or the address of a
 * contact: an e-mail address, a phone number, a WhatsApp number, an account of a messenger.
 */
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

/** Undefined if the platform is unknown. */
export const addressKindOf = (code: number): AddressKind | undefined =>
  isPlatform(code) ? addressKinds[code] : undefined;

/** Legacy platforms, which no device registers with (R-RES24). */
const legacy: ReadonlySet<number> = new Set([
  Platform.Blackberry,
  Platform.WindowsPhone,
  Platform.InternetExplorer,
  Platform.Xiaomi,
]);

/** Whether devices register with a platform (Spec, Platform codes; R-RES24). */
export const isRegistrable = (code: number): boolean => isPlatform(code) && !legacy.has(code);

/** Whether a platform has push tokens; all others are contacts, which have an address. */
export function isPushPlatform(code: number): boolean {
  const kind = addressKindOf(code);
  return kind === 'token' || kind === 'endpoint';
}

/** The platforms of a message without `platforms` (R-I5): the push platforms. */
export const pushPlatforms: readonly PlatformCode[] = platformCodes.filter(isPushPlatform);

/** The hwid that a device of a platform is stored under; undefined if it is not valid on the platform (R-C2). */
export function hwidOn(platform: number, given: string): string | undefined {
  const kind = addressKindOf(platform);
  if (kind === 'phone') return phoneNumberOf(given);
  return kind === 'whatsapp' ? whatsAppHwidOf(given) : given;
}
