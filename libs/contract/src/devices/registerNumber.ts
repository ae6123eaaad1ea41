import { Platform } from '@tidings/kernel';
import { json13 } from '../families/json13.ts';
import { applicationCode } from '../fields/application.ts';
import { language, phoneNumber, timezoneSeconds, userId } from '../fields/device.ts';
import { anyObject, nothing, object, optional } from '../values.ts';

const definition = (platform: number, prefix: string) => ({
  scope: 'device' as const,
  input: object({
    application: applicationCode,
    number: phoneNumber,
    userId: optional(userId),
    language: optional(language),
    timezone: optional(timezoneSeconds),
    tags: optional(anyObject),
  }).transform((request) => ({
    application: request.application,
    hwid: `${prefix}${request.number}`,
    device: {
      platform,
      userId: request.userId,
      language: request.language,
      timezoneSeconds: request.timezone,
      tags: request.tags,
    },
  })),
  output: nothing,
  examples: [{ request: { application: 'A1B2C-3D4E5', number: '+4915112345678', userId: 'user-1' }, reply: undefined }],
});

/** Registers a phone number for SMS (R-X3). */
export const registerSmsNumber = json13('registerSmsNumber', definition(Platform.Sms, ''));

/** Registers a phone number for WhatsApp (R-X3). */
export const registerWhatsappNumber = json13('registerWhatsappNumber', definition(Platform.WhatsApp, 'whatsapp:'));
