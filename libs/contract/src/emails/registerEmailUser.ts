import { Platform } from '@tidings/kernel';
import { json13 } from '../families/json13.ts';
import { applicationCode } from '../fields/application.ts';
import { contactTimezone, placeFields, userId } from '../fields/device.ts';
import { emailAddress } from '../fields/email-address.ts';
import { nothing, object, optional } from '../values.ts';

export const registerEmailUser = json13('registerEmailUser', {
  description: 'Assigns an e-mail contact to a user, and creates the contact if it does not exist.',
  scope: 'device',
  input: object({
    application: applicationCode,
    email: emailAddress,
    userId,
    tz_offset: optional(contactTimezone),
    ...placeFields,
  }).transform((request) => ({
    application: request.application,
    email: request.email,
    device: {
      platform: Platform.Email,
      pushToken: request.email,
      userId: request.userId,
      timezoneSeconds: request.tz_offset,
      country: request.country,
      city: request.city,
      tags: undefined,
    },
  })),
  output: nothing,
  examples: [
    { request: { application: 'A1B2C-3D4E5', email: 'anna@example.com', userId: 'user-1' }, reply: undefined },
  ],
});
