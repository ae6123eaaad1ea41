import { json13 } from '../families/json13.ts';
import { applicationCode } from '../fields/application.ts';
import { hwid } from '../fields/device.ts';
import { identity, nothing, object, optional } from '../values.ts';

export const messageDeliveryEvent = json13('messageDeliveryEvent', {
  description: 'Reports the delivery of a push; otherwise like pushStat.',
  scope: 'device',
  input: object({
    application: applicationCode,
    hwid,
    hash: optional(identity).describe('The value of `p` in the push payload. A report without it is not counted.'),
  }),
  output: nothing,
  examples: [
    {
      request: { application: 'A1B2C-3D4E5', hwid: 'phone-1', hash: 'P_423M_lQlKFY_bEL-4nm3p4-4bbkUN' },
      reply: undefined,
    },
  ],
});
