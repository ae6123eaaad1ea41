import { z } from 'zod';
import { json13 } from '../families/json13.ts';
import { applicationCode } from '../fields/application.ts';
import { hwid } from '../fields/device.ts';
import { object } from '../values.ts';

export const checkDevice = json13('checkDevice', {
  description: 'Returns whether a device is registered and has a push token.',
  scope: 'device',
  input: object({ application: applicationCode, hwid }),
  output: z.object({
    exist: z.boolean().describe('Whether the device is registered.'),
    push_token_exist: z.boolean().describe('Whether the device has a push token.'),
  }),
  examples: [
    { request: { application: 'A1B2C-3D4E5', hwid: 'phone-1' }, reply: { exist: true, push_token_exist: true } },
  ],
});
