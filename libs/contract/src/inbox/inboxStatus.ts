import { json13 } from '../families/json13.ts';
import { applicationCode } from '../fields/application.ts';
import { clientMoment } from '../fields/dates.ts';
import { hwid, userId } from '../fields/device.ts';
import { identity, integer, integerOf, nothing, object, optional } from '../values.ts';

/**
 * Sets the status of an inbox entry: 1 delivered, 2 read, 3 opened, 4 deleted. A deleted entry stays deleted, and a call that is older than the last
 * one changes nothing (R-S4, R-J6). No token is required (R-J1). Spec J.
 */
export const inboxStatus = json13('inboxStatus', {
  scope: 'none',
  input: object({
    application: applicationCode,
    inbox_code: identity,
    userId,
    status: integerOf(1, 4),
    hash: optional(identity),
    hwid: optional(hwid),
    time: optional(clientMoment),
    device_type: optional(integer),
  }),
  output: nothing,
  examples: [
    {
      request: {
        application: 'A1B2C-3D4E5',
        inbox_code: '811304624128000',
        userId: 'user-1',
        status: 3,
        hwid: 'phone-1',
        time: 1_768_392_060,
      },
      reply: undefined,
    },
  ],
});
