import { json13 } from '../families/json13.ts';
import { applicationCode } from '../fields/application.ts';
import { deviceType, language } from '../fields/device.ts';
import { checkPushToken, pushToken } from '../fields/push-token.ts';
import { identityOf, nothing, object, optional, textOf } from '../values.ts';

export const createTestDevice = json13('createTestDevice', {
  description:
    'Adds a test device, or updates the one with its push token. An application has at most 100, unless the operator ' +
    'sets another quota. No token is required; a client address may call it in bursts of 120 per application, and 60 ' +
    'times a minute.',
  scope: 'none',
  input: object({
    application: applicationCode,
    push_token: pushToken
      .refine((token) => token !== '', 'must not be empty')
      .describe('Token that the push provider issued to the device.'),
    device_type: deviceType,
    name: identityOf(1, 255).describe('Name of the test device.'),
    description: optional(textOf(0, 1024)).describe('Description of the test device.'),
    language: optional(language),
  }).check((context) => checkPushToken(context, context.value.device_type, context.value.push_token)),
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
