import { json13 } from '../families/json13.ts';
import { applicationCode } from '../fields/application.ts';
import { hwid, userId } from '../fields/device.ts';
import { identity, nothing, object, optional } from '../values.ts';

export const pushStat = json13('pushStat', {
  description:
    "Reports that a push was opened; `hash` is the payload's `p`. A report without it is not counted. A report of an " +
    "unknown device or message, or with another device's hash, succeeds without effect.",
  scope: 'device',
  input: object({
    application: applicationCode,
    hwid,
    userId: optional(userId),
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
