import { json13 } from '../families/json13.ts';
import { applicationCode } from '../fields/application.ts';
import { hwid } from '../fields/device.ts';
import { deviceToken } from '../fields/push-token.ts';
import { nothing, object, optional } from '../values.ts';

export const setActivityPushToStartToken = json13('setActivityPushToStartToken', {
  description: 'Stores the token that starts live activities on a device; null removes it.',
  scope: 'device',
  input: object({
    application: applicationCode,
    hwid,
    activity_push_to_start_token: optional(deviceToken).describe(
      'Token that starts live activities on the device; null removes it.',
    ),
  }),
  output: nothing,
  examples: [
    {
      request: { application: 'A1B2C-3D4E5', hwid: 'phone-1', activity_push_to_start_token: '80f1e2d3c4b5a697' },
      reply: undefined,
    },
  ],
});
