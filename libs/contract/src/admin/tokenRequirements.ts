import { z } from 'zod';
import { admin } from '../families/admin.ts';
import { namedApplication } from '../fields/application.ts';
import { boolean, object } from '../values.ts';

const input = object({
  code: namedApplication,
  token_required: boolean.describe('Whether a token is demanded.'),
}).transform(({ code: application, token_required: required }) => ({ application, required }));
const output = z.object({ token_required: z.boolean().describe('Whether a token is demanded.') });
const examples = [{ request: { code: 'A1B2C-3D4E5', token_required: true }, reply: { token_required: true } }] as const;

export const setInboxAccess = admin('setInboxAccess', {
  description:
    'Demands the device token for the inboxes of an application, or serves them without one, the default. Takes up ' +
    'to 5 seconds.',
  route: 'PUT applications/{code}/inbox',
  input,
  output,
  examples,
});

export const setTestDeviceAccess = admin('setTestDeviceAccess', {
  description:
    'Demands a token for createTestDevice of an application, or serves it without one, the default. Takes up to 5 ' +
    'seconds.',
  route: 'PUT applications/{code}/test-devices',
  input,
  output,
  examples,
});

export const listOpenAccess = admin('listOpenAccess', {
  description:
    'Lists applications that demand a token where none is the default, or that have test devices which nobody has ' +
    'confirmed.',
  route: 'GET open-access',
  input: object({}),
  output: z.object({
    applications: z
      .array(
        z.object({
          application: z.string().describe('Code of the application.'),
          inbox_token_required: z.boolean().describe('Whether inboxes need the device token.'),
          test_device_token_required: z.boolean().describe('Whether createTestDevice needs a token.'),
          unconfirmed_test_devices: z
            .int()
            .describe('Number of test devices that were made without a token and not confirmed.'),
        }),
      )
      .describe('The applications.'),
  }),
  examples: [
    {
      request: {},
      reply: {
        applications: [
          {
            application: 'A1B2C-3D4E5',
            inbox_token_required: true,
            test_device_token_required: false,
            unconfirmed_test_devices: 2,
          },
        ],
      },
    },
  ],
});
