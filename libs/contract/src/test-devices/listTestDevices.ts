import { z } from 'zod';
import { json13 } from '../families/json13.ts';
import { applicationCode } from '../fields/application.ts';
import { object } from '../values.ts';

export const listTestDevices = json13('listTestDevices', {
  description: 'Lists the test devices of an application, oldest first.',
  scope: 'api',
  input: object({ application: applicationCode }),
  output: z.object({
    TestDevices: z
      .array(
        z.object({
          name: z.string().describe('Name of the test device.'),
          type: z.string().describe('Platform code, as text.'),
          pushtoken: z.string().describe('Token that the push provider issued to the device.'),
          description: z.string().describe('Description of the test device.'),
          languages: z.array(z.string()).describe('Language of the device, if known.'),
          confirmed: z.boolean().describe('Whether messages to test devices reach it.'),
        }),
      )
      .describe('The test devices.'),
  }),
  examples: [
    {
      request: { auth: 'token', application: 'A1B2C-3D4E5' },
      reply: {
        TestDevices: [
          {
            name: 'Phone of the tester',
            type: '3',
            pushtoken: 'fGx1a2b3c4d5e6f7g8h9i0:APA91bHun4MxP5egoKMwt2KZFBaFUH1Example',
            description: '',
            languages: ['en'],
            confirmed: true,
          },
        ],
      },
    },
  ],
});
