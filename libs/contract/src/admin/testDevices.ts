import { z } from 'zod';
import { admin } from '../families/admin.ts';
import { applicationCode } from '../fields/application.ts';
import { boolean, nothing, object, text } from '../values.ts';

const tokenHash = text
  .refine((value) => /^[\da-f]{64}$/i.test(value), 'must be the SHA-256 of a push token, in hex')
  .transform((value) => value.toLowerCase());

const EXAMPLE_HASH = '04f6d8b7b4d4fd5d1cde2b1ed1d0f2cf3c92d0cbd1dbbb9e2b3ae0c1c5f4a7e9';

export const listAllTestDevices = admin('listAllTestDevices', {
  description: 'Lists the test devices of an application with the hashes of their push tokens, oldest first.',
  route: 'GET test-devices/{application}',
  input: object({ application: applicationCode }),
  output: z.object({
    test_devices: z
      .array(
        z.object({
          token_hash: z.string().describe('SHA-256 of the push token, in hex.'),
          name: z.string().describe('Name of the test device.'),
          platform: z.int().describe('Platform code.'),
          confirmed: z.boolean().describe('Whether messages to test devices reach it.'),
        }),
      )
      .describe('The test devices, oldest first.'),
  }),
  examples: [
    {
      request: { application: 'A1B2C-3D4E5' },
      reply: {
        test_devices: [{ token_hash: EXAMPLE_HASH, name: 'Phone of the tester', platform: 3, confirmed: false }],
      },
    },
  ],
});

export const confirmTestDevice = admin('confirmTestDevice', {
  description:
    'Confirms a test device that was made without a token, so that notify with `test_devices` reaches it, or takes ' +
    'the confirmation back. The path names it by the SHA-256 of its push token, in hex.',
  route: 'PUT test-devices/{application}/{token_hash}',
  input: object({
    application: applicationCode,
    token_hash: tokenHash.describe('SHA-256 of the push token, in hex.'),
    confirmed: boolean.describe('Whether messages to test devices reach it.'),
  }),
  output: z.object({ confirmed: z.boolean().describe('Whether messages to test devices reach it.') }),
  examples: [
    {
      request: { application: 'A1B2C-3D4E5', token_hash: EXAMPLE_HASH, confirmed: true },
      reply: { confirmed: true },
    },
  ],
});

export const deleteTestDevice = admin('deleteTestDevice', {
  description: 'Deletes a test device, by the SHA-256 of its push token, in hex.',
  route: 'DELETE test-devices/{application}/{token_hash}',
  status: 204,
  input: object({ application: applicationCode, token_hash: tokenHash.describe('SHA-256 of the push token, in hex.') }),
  output: nothing,
  examples: [{ request: { application: 'A1B2C-3D4E5', token_hash: EXAMPLE_HASH }, reply: undefined }],
});
