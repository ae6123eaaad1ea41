import { json13 } from '../families/json13.ts';
import { applicationCode } from '../fields/application.ts';
import { hwid } from '../fields/device.ts';
import { deviceToken } from '../fields/push-token.ts';
import { identityOf, nothing, object, optional } from '../values.ts';

export const setActivityToken = json13('setActivityToken', {
  description:
    'Stores the token that updates one live activity on a device; null removes it. A device keeps its last 20.',
  scope: 'device',
  input: object({
    application: applicationCode,
    hwid,
    activity_id: identityOf(1, 255).describe('Identifies the live activity on the device.'),
    activity_push_token: optional(deviceToken).describe('Token that updates the live activity; null removes it.'),
  }),
  output: nothing,
  examples: [
    {
      request: {
        application: 'A1B2C-3D4E5',
        hwid: 'phone-1',
        activity_id: 'order-17',
        activity_push_token: '80f1e2d3c4b5a697',
      },
      reply: undefined,
    },
  ],
});
