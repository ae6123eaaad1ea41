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
const platformCodes: readonly PlatformCode[] = Object.values(Platform);

export const isPlatform = (code: number): code is PlatformCode => (platformCodes as readonly number[]).includes(code);

/** Each channel has a dispatcher; `libs/channels` defines its platforms. */
export const channels = ['apns', 'fcm'] as const;

export type Channel = (typeof channels)[number];

/** The platforms of a message without `platforms` (R-I5): the push platforms. */
export const pushPlatforms: readonly PlatformCode[] = [1, 2, 3, 5, 7, 8, 9, 10, 11, 12, 13, 17, 19];

/** Whether a platform has push tokens; all others are contacts, which have an address. */
export const isPushPlatform = (code: number): boolean => (pushPlatforms as readonly number[]).includes(code);
