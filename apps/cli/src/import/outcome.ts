import { addressKindOf, isPushPlatform, isRegistrable, Platform } from '@tidings/kernel';

/** An entry of bulkRegisterDevice. */
export interface Device {
  readonly hwid: string;
  readonly push_token: string;
  readonly platform: number;
  readonly user_id?: string | undefined;
  readonly language?: string | undefined;
  readonly timezone?: number | undefined;
  readonly email?: string | undefined;
  readonly app_version?: string | undefined;
  readonly device_model?: string | undefined;
  readonly os_version?: string | undefined;
  readonly country?: string | undefined;
  readonly city?: string | undefined;
  readonly idfa?: string | undefined;
  readonly public_key?: string | undefined;
  readonly auth_token?: string | undefined;
  readonly fcm_token?: string | undefined;
  readonly fcm_push_set?: string | undefined;
  readonly adopt_by_token?: boolean;
  readonly tags?: Readonly<Record<string, unknown>> | undefined;
}

/** What a row states, before it is decided what becomes of it. */
export interface Subscriber {
  readonly device: Device;
  readonly isUnsubscribed?: boolean;
  /** The provider refuses the address. */
  readonly isInvalid?: boolean;
}

export type Outcome =
  | { readonly kind: 'register'; readonly device: Device }
  /** An e-mail contact that gets no marketing. */
  | { readonly kind: 'unsubscribe'; readonly device: Device }
  | { readonly kind: 'blacklist'; readonly address: string }
  | { readonly kind: 'skip'; readonly reason: string };

export const UNSUBSCRIBED_EMAILS = 'Unsubscribed Emails';
const HWID_LENGTH = 255;
const PLACE_LENGTH = 1_024;

export const skip = (reason: string): Outcome => ({ kind: 'skip', reason });

const withoutLong = (text: string | undefined): string | undefined =>
  text !== undefined && text.length > PLACE_LENGTH ? undefined : text;

function contact({ device, isUnsubscribed, isInvalid }: Subscriber): Outcome {
  if (isInvalid) return { kind: 'blacklist', address: (device.email ?? (device.push_token || device.hwid)).trim() };
  if (!isUnsubscribed) return { kind: 'register', device };
  return { kind: 'unsubscribe', device: { ...device, tags: { ...device.tags, [UNSUBSCRIBED_EMAILS]: true } } };
}

function pushDevice({ device, isUnsubscribed, isInvalid }: Subscriber): Outcome {
  if (isUnsubscribed || isInvalid) return { kind: 'register', device: { ...device, push_token: '' } };
  const { platform, push_token: token, public_key: key, auth_token: secret, fcm_token: fcm } = device;
  const isBrowser = addressKindOf(platform) === 'endpoint' && token !== '';
  if (isBrowser && !fcm && !(key && secret)) return skip('a browser without the keys of its subscription');
  return { kind: 'register', device };
}

/** Any row either registers, is suppressed, or is skipped with a reason. */
export function outcomeOf(subscriber: Subscriber): Outcome {
  const { device, isUnsubscribed, isInvalid } = subscriber;
  const { platform, hwid, city, country } = device;
  if (!isRegistrable(platform)) return skip('a platform to which nothing can be sent');
  if (hwid === '') return skip('no identifier of the device');
  if (hwid.length > 2 * HWID_LENGTH) return skip(`an identifier of more than ${HWID_LENGTH} characters`);
  const fitting = { ...subscriber, device: { ...device, city: withoutLong(city), country: withoutLong(country) } };
  if (platform === Platform.Email) return contact(fitting);
  if (isPushPlatform(platform)) return pushDevice(fitting);
  if (isUnsubscribed) return skip('an unsubscribed number, to which nothing will be sent');
  if (isInvalid) return skip('an invalid number');
  return { kind: 'register', device: fitting.device };
}
