import { json13 } from '../families/json13.ts';
import { applicationCode } from '../fields/application.ts';
import { deviceType, language } from '../fields/device.ts';
import { nonEmptyText, nothing, object, optional, text } from '../values.ts';

/** Adds a test device, or changes the one with its push token; at most 500 an application (R-L1). No token is demanded. Spec L. */
export const createTestDevice = json13('createTestDevice', {
  scope: 'none',
  input: object({
    application: applicationCode,
    push_token: nonEmptyText,
    device_type: deviceType,
    name: nonEmptyText,
    description: optional(text),
    language: optional(language),
  }),
  output: nothing,
  examples: [
    {
      request: {
        application: 'A1B2C-3D4E5',
        push_token: 'fGx1a2b3c4d5e6f7g8h9i0:APA91bHun4MxP5egoKMwt2KZFBaFUH1Example',
        device_type: 3,
        name: 'Phone of the tester',
        description: 'A small screen',
        language: 'en',
      },
      reply: undefined,
    },
  ],
});
