import { isPushPlatform, Platform } from '@tidings/kernel';
import type { z } from 'zod';
import { json13 } from '../families/json13.ts';
import { applicationCode } from '../fields/application.ts';
import { deviceType, hwid, language, phoneNumber, timezoneSeconds, userId } from '../fields/device.ts';
import { emailAddress } from '../fields/email-address.ts';
import { anyObject, array, nothing, object, optional, text } from '../values.ts';

const MAX_DEVICES = 1000;

const fields = object({
  application: applicationCode,
  user_id: optional(userId),
  email: optional(emailAddress),
  sms_phone_number: optional(phoneNumber),
  whatsapp_phone_number: optional(phoneNumber),
  language: optional(language),
  timezone: optional(timezoneSeconds),
  tags: optional(anyObject),
  push_devices: optional(
    array(
      object({
        hwid,
        platform: deviceType.refine(isPushPlatform, 'unknown platform'),
        push_token: optional(text),
        platformData: optional(object({ public_key: optional(text), auth_token: optional(text) })),
      }),
    ).max(MAX_DEVICES, `at most ${MAX_DEVICES} entries`),
  ),
});

type Fields = z.output<typeof fields>;

/** What a request registers, each under its hwid. */
function devicesIn({ email, sms_phone_number: sms, whatsapp_phone_number: whatsapp, push_devices: push }: Fields) {
  const contact = (hwidOf: string, platform: number, pushToken?: string) => ({ hwid: hwidOf, platform, pushToken });
  return [
    ...(push ?? []).map(({ push_token: pushToken, platformData: data, ...device }) => ({
      ...{ ...device, pushToken, publicKey: data?.public_key, authToken: data?.auth_token },
    })),
    ...(email === undefined ? [] : [contact(email, Platform.Email, email)]),
    ...(sms === undefined ? [] : [contact(sms, Platform.Sms)]),
    ...(whatsapp === undefined ? [] : [contact(`whatsapp:${whatsapp}`, Platform.WhatsApp)]),
  ];
}

/** Registers the devices and contacts of a user: all of them, or none where one is wrong (R-X3). */
export const multiRegisterDevice = json13('multiRegisterDevice', {
  scope: 'device',
  input: fields
    .refine((request) => devicesIn(request).length > 0, { path: ['push_devices'], error: 'must be set' })
    .transform((request) => {
      const { language: spoken, timezone, tags, user_id: user } = request;
      const shared = { language: spoken, timezoneSeconds: timezone, tags, userId: user };
      return {
        application: request.application,
        devices: devicesIn(request).map(({ hwid: id, ...device }) => ({ hwid: id, device: { ...device, ...shared } })),
      };
    }),
  output: nothing,
  examples: [
    {
      request: {
        application: 'A1B2C-3D4E5',
        user_id: 'user-1',
        email: 'anna@example.com',
        sms_phone_number: '+4915112345678',
        language: 'en',
        push_devices: [{ hwid: 'phone-1', platform: 3, push_token: 'fGx1a2b3c4d5' }],
      },
      reply: undefined,
    },
  ],
});
