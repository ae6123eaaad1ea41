import { Platform } from '@tidings/kernel';
import { json13 } from '../families/json13.ts';
import { applicationCode } from '../fields/application.ts';
import { deviceLanguage, placeFields, smsNumber, timezoneSeconds, userId, whatsAppNumber } from '../fields/device.ts';
import { nothing, object, optional, registrationTags } from '../values.ts';

const definition = (platform: number, number: typeof smsNumber) => ({
  scope: 'device' as const,
  input: object({
    application: applicationCode,
    number: number.describe('E.164 phone number with `+`.'),
    userId: optional(userId),
    language: deviceLanguage,
    timezone: optional(timezoneSeconds),
    ...placeFields,
    tags: registrationTags(),
  }).transform((request) => ({
    application: request.application,
    hwid: request.number,
    device: {
      platform,
      userId: request.userId,
      language: request.language,
      timezoneSeconds: request.timezone,
      tags: request.tags,
      country: request.country,
      city: request.city,
    },
  })),
  output: nothing,
  examples: [{ request: { application: 'A1B2C-3D4E5', number: '+4915112345678', userId: 'user-1' }, reply: undefined }],
});

export const registerSmsNumber = json13('registerSmsNumber', {
  description: 'Registers a phone number for SMS.',
  ...definition(Platform.Sms, smsNumber),
});

export const registerWhatsappNumber = json13('registerWhatsappNumber', {
  description: 'Registers a phone number for WhatsApp.',
  ...definition(Platform.WhatsApp, whatsAppNumber),
});
