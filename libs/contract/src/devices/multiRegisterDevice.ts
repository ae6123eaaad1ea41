import { isPushPlatform, Platform } from '@tidings/kernel';
import type { z } from 'zod';
import { parseWithin } from '../forward.ts';
import { json13 } from '../families/json13.ts';
import { applicationCode } from '../fields/application.ts';
import {
  deviceLanguage,
  deviceType,
  hwid,
  placeFields,
  smsNumber,
  timezoneSeconds,
  userId,
  whatsAppNumber,
} from '../fields/device.ts';
import { emailAddress } from '../fields/email-address.ts';
import { checkPushToken, pushToken, webPushKey } from '../fields/push-token.ts';
import { tagTexts } from '../long-integer.ts';
import { array, integerOf, isObject, nothing, object, optional, registrationTags } from '../values.ts';

const MAX_DEVICES = 1000;

/** By number: 0 sets a value (R-X3). */
const operations = [undefined, 'append', 'remove', 'increment'] as const;

const operationNumber = integerOf(0, operations.length - 1);

function numberedOperations(tags: Record<string, unknown>, context: z.core.ParsePayload): Record<string, unknown> {
  const worded = Object.entries(tags).map(([name, given]): readonly [string, unknown] => {
    if (!isObject(given)) return [name, given];
    const operation = given['operation'] ?? undefined;
    const value = given['value'] ?? given['values'] ?? null;
    if (operation === undefined || (typeof operation === 'string' && !/^\d+$/.test(operation))) return [name, given];
    const number = parseWithin(operationNumber, operation, context, [name, 'operation']) ?? 0;
    const word = operations[number];
    return [name, word === undefined ? value : { operation: word, value }];
  });
  return tagTexts(Object.fromEntries(worded));
}

const fields = object({
  application: applicationCode,
  user_id: optional(userId).describe('Identifies the user of the device.'),
  email: optional(emailAddress).describe('Address of an e-mail contact to register.'),
  sms_phone_number: optional(smsNumber).describe('E.164 phone number with `+` to register for SMS.'),
  whatsapp_phone_number: optional(whatsAppNumber).describe('E.164 phone number with `+` to register for WhatsApp.'),
  language: deviceLanguage,
  timezone: optional(timezoneSeconds),
  ...placeFields,
  tags: registrationTags(numberedOperations).describe(
    'Values by tag name, for every registered device and contact. Unknown tags and values of a wrong type are ' +
      'skipped.',
  ),
  push_devices: optional(
    array(
      object({
        hwid,
        platform: deviceType
          .refine(isPushPlatform, 'unknown platform')
          .describe(
            'Platform of the device: 1 iOS, 3 Android, 7 macOS, 8 Windows, 9 Amazon, 10 Safari, 11 Chrome, 12 ' +
              'Firefox, 17 Huawei.',
          ),
        push_token: optional(pushToken).describe('Token that the push provider issued to the device.'),
        platformData: optional(
          object({
            public_key: optional(webPushKey).describe('Public key of a web push subscription, `p256dh`.'),
            auth_token: optional(webPushKey).describe('Secret of a web push subscription, `auth`.'),
          }),
        ).describe('Further data that web push requires.'),
      }).check((context) => checkPushToken(context, context.value.platform, context.value.push_token)),
    ).max(MAX_DEVICES, `at most ${MAX_DEVICES} entries`),
  ).describe('Devices to register for push.'),
});

type Fields = z.output<typeof fields>;

function devicesIn({ email, sms_phone_number: sms, whatsapp_phone_number: whatsapp, push_devices: push }: Fields) {
  const contact = (hwidOf: string, platform: number, token?: string) => ({ hwid: hwidOf, platform, pushToken: token });
  return [
    ...(push ?? []).map(({ push_token: token, platformData: data, ...device }) => ({
      ...device,
      pushToken: token,
      publicKey: data?.public_key,
      authToken: data?.auth_token,
    })),
    ...(email === undefined ? [] : [contact(email, Platform.Email, email)]),
    ...(sms === undefined ? [] : [contact(sms, Platform.Sms)]),
    ...(whatsapp === undefined ? [] : [contact(whatsapp, Platform.WhatsApp)]),
  ];
}

export const multiRegisterDevice = json13('multiRegisterDevice', {
  description: 'Registers the devices and contacts of a user, all or none.',
  scope: 'device',
  input: fields
    .refine((request) => devicesIn(request).length > 0, { path: ['push_devices'], error: 'must be set' })
    .transform((request) => {
      const { language: spoken, timezone, tags, user_id: user, country, city } = request;
      const shared = { language: spoken, timezoneSeconds: timezone, tags, userId: user, country, city };
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
        tags: { Level: { operation: 3, value: 1 }, Interests: { operation: 1, values: ['news'] }, Name: 'Anna' },
        push_devices: [
          {
            hwid: 'browser-1',
            platform: 11,
            push_token: 'https://push.example/1',
            platformData: { public_key: 'BNcRd_9w', auth_token: 'tBHI' },
          },
          { hwid: 'phone-1', platform: 3, push_token: 'fGx1a2b3c4d5' },
        ],
      },
      reply: undefined,
    },
  ],
});
