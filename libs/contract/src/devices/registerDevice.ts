import { hwidOn, Platform } from '@tidings/kernel';
import type { z } from 'zod';
import { json13 } from '../families/json13.ts';
import { applicationCode } from '../fields/application.ts';
import { deviceLanguage, deviceType, hwid, placeFields, timezoneSeconds, userId } from '../fields/device.ts';
import { emailFault } from '../fields/email-address.ts';
import { checkPushToken, deviceToken, pushToken, webPushKey } from '../fields/push-token.ts';
import { optionalUnless } from '../presence.ts';
import { integer, nothing, object, optional, registrationTags, text, whole } from '../values.ts';

export const registrationFields = object({
  application: applicationCode,
  hwid: optionalUnless(hwid, (request) => {
    if ((request['hwid'] ?? null) !== null) return undefined;
    if (integer.safeParse(request['device_type']).data !== Platform.Email) return 'hwid';
    return (request['email'] ?? null) === null ? 'email' : undefined;
  }).describe(
    'Identifies the device in its application; case-sensitive. For SMS it is the phone number with `+`, for ' +
      'WhatsApp `whatsapp:` and the number. Optional for e-mail if `email` is given.',
  ),
  device_type: deviceType,
  push_token: optional(pushToken).describe(
    'Token that the push provider issued to the device. If left out, the stored token is kept; an empty string ' +
      'removes it. Not used for SMS and WhatsApp.',
  ),
  language: deviceLanguage,
  timezone: optional(timezoneSeconds),
  email: optional(text).describe('Address of an e-mail contact. Required for `device_type` 14 if `hwid` is left out.'),
  tags: registrationTags().describe('Values by tag name. Unknown tags and values of a wrong type are skipped.'),
  idfa: optional(text).describe('Advertising identifier of the device.'),
  userId: optional(userId),
  app_version: optional(text).describe('Version of the app on the device.'),
  device_model: optional(text).describe('Model of the device.'),
  os_version: optional(text).describe('Version of the operating system.'),
  public_key: optional(webPushKey).describe('Public key of a web push subscription, `p256dh`.'),
  auth_token: optional(webPushKey).describe('Secret of a web push subscription, `auth`.'),
  fcm_token: optional(deviceToken).describe('Token of a browser that Firebase Cloud Messaging reaches.'),
  fcm_push_set: optional(deviceToken).describe('Identifies the set of FCM subscriptions that the browser belongs to.'),
  ...placeFields,
});

type WebPushField = 'public_key' | 'auth_token' | 'fcm_token' | 'fcm_push_set';

type Fields = z.output<typeof registrationFields>;

export const detailsIn = (
  given: Pick<Fields, 'language' | 'timezone' | 'app_version' | 'device_model' | 'os_version' | 'idfa' | WebPushField>,
) => ({
  language: given.language,
  timezoneSeconds: given.timezone,
  appVersion: given.app_version,
  deviceModel: given.device_model,
  osVersion: given.os_version,
  idfa: given.idfa,
  publicKey: given.public_key,
  authToken: given.auth_token,
  fcmToken: given.fcm_token,
  fcmPushSet: given.fcm_push_set,
});

const isAddress = (hwid: string | undefined): boolean => hwid?.includes('@') ?? false;

/** The hwid may be an address. Without one the contact keeps its address (R-C1). */
const addressIn = ({ email, hwid: own }: Fields): string | undefined => email ?? (isAddress(own) ? own : undefined);

/** Stored in lower case; the address is the token, and the hwid if none is given (R-C1, R-E1). */
function emailContact(request: Fields): { readonly hwid: string; readonly pushToken: string | undefined } {
  const address = addressIn(request)?.toLowerCase();
  const own = isAddress(request.hwid) ? request.hwid?.toLowerCase() : request.hwid;
  return { hwid: own ?? address!, pushToken: address };
}

function identityFault(request: Fields): string | undefined {
  const { device_type: platform } = request;
  if (platform !== Platform.Email)
    return hwidOn(platform, request.hwid!) === undefined ? 'Hwid is not valid' : undefined;
  const address = addressIn(request);
  return address === undefined ? undefined : emailFault(address);
}

const identity = (request: Fields): { readonly hwid: string; readonly pushToken: string | undefined } =>
  request.device_type === Platform.Email
    ? emailContact(request)
    : { hwid: hwidOn(request.device_type, request.hwid!)!, pushToken: request.push_token };

export const registerDevice = json13('registerDevice', {
  description:
    'Registers a device or updates its record. An absent push token keeps the stored one, "" removes it. Unknown ' +
    'tags and invalid tag values are skipped.',
  scope: 'device',
  input: registrationFields
    .check((context) => {
      const fault = identityFault(context.value);
      if (fault !== undefined) {
        const { error: message, params } = whole(fault);
        context.issues.push({ code: 'custom', message, params, input: context.value });
      }
      checkPushToken(context, context.value.device_type, context.value.push_token);
    })
    .transform((request) => {
      const { hwid: id, pushToken: token } = identity(request);
      return {
        application: request.application,
        hwid: id,
        device: {
          platform: request.device_type,
          pushToken: token,
          ...detailsIn(request),
          userId: request.userId,
          tags: request.tags,
          country: request.country,
          city: request.city,
        },
      };
    }),
  output: nothing,
  examples: [
    {
      request: {
        application: 'A1B2C-3D4E5',
        hwid: '8f6b9e4a-1d23-4c56-b789-0a1b2c3d4e5f',
        device_type: 3,
        push_token: 'fGx1a2b3c4d5e6f7g8h9i0:APA91bHun4MxP5egoKMwt2KZFBaFUH1Example',
        language: 'en',
        timezone: 3600,
        userId: 'user-1234',
        tags: { Level: 5, Name: 'Anna', Interests: ['news', 'sport'] },
        app_version: '1.2.3',
        device_model: 'Pixel 8',
        os_version: '14',
      },
      reply: undefined,
    },
    { request: { application: 'A1B2C-3D4E5', device_type: '14', email: 'Anna@example.com' }, reply: undefined },
    {
      request: { application: 'A1B2C-3D4E5', hwid: '+4915112345678', device_type: 18, language: null, timezone: null },
      reply: undefined,
    },
  ],
});
