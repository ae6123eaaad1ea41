import { Platform } from '@tidings/kernel';
import { json13 } from '../families/json13.ts';
import { applicationCode } from '../fields/application.ts';
import { contactTimezone, hwid, language, placeFields, userId } from '../fields/device.ts';
import { EMAIL_ONLY, emailAddress } from '../fields/email-address.ts';
import { integer, nothing, object, optional, registrationTags, whole } from '../values.ts';

const onlyEmail = integer.refine((code) => code === Platform.Email, whole(EMAIL_ONLY));

export const registerEmail = json13('registerEmail', {
  description: 'Registers or updates an e-mail contact; unknown tags and invalid tag values are skipped.',
  scope: 'device',
  input: object({
    application: applicationCode,
    email: emailAddress,
    language: optional(language),
    userId: optional(userId),
    tz_offset: optional(contactTimezone),
    ...placeFields,
    tags: registrationTags(),
    hwid: optional(hwid).describe('Identifies the contact; the address if left out.'),
    device_type: optional(onlyEmail).describe('Must be 14, e-mail.'),
  }).transform((request) => ({
    application: request.application,
    email: request.email,
    hwid: request.hwid?.includes('@') ? request.hwid.toLowerCase() : request.hwid,
    device: {
      platform: Platform.Email,
      pushToken: request.email,
      language: request.language,
      userId: request.userId,
      timezoneSeconds: request.tz_offset,
      country: request.country,
      city: request.city,
      tags: request.tags,
    },
  })),
  output: nothing,
  examples: [
    {
      request: {
        application: 'A1B2C-3D4E5',
        email: 'Anna@example.com',
        language: 'en',
        userId: 'user-1',
        tz_offset: 3600,
        tags: { Name: 'Anna' },
      },
      reply: undefined,
    },
  ],
});
