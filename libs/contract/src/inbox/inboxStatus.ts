import { json13 } from '../families/json13.ts';
import { applicationCode } from '../fields/application.ts';
import { clientMoment } from '../fields/dates.ts';
import { hwid, userId } from '../fields/device.ts';
import { identity, integer, integerOf, nothing, object, optional } from '../values.ts';

export const inboxStatus = json13('inboxStatus', {
  description:
    'Sets the status of an inbox entry: 1 delivered, 2 read, 3 opened, 4 deleted. A deleted entry stays deleted, and ' +
    'a call that is older than the last one changes nothing. No token is required.',
  scope: 'none',
  input: object({
    application: applicationCode,
    inbox_code: identity.describe('`order` of the message.'),
    userId: userId.describe('The user whose inbox it is; the hwid of a device without a user ID.'),
    status: integerOf(1, 4).describe('1 delivered, 2 read, 3 opened, 4 deleted.'),
    hash: optional(identity).describe('Statistics hash of the message; has no effect.'),
    hwid: optional(hwid).describe(
      'The calling device. If it belongs to the user, its platform counts for `inbox_opens`.',
    ),
    time: optional(clientMoment).describe(
      'When it happened on the device, in Unix seconds or milliseconds, or as a date; now if left out. A call that ' +
        'is older than the last one has no effect.',
    ),
    device_type: optional(integer).describe('Platform of the calling device; has no effect.'),
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
