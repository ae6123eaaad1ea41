import { json13 } from '../families/json13.ts';
import { applicationCode } from '../fields/application.ts';
import { contactTimezone, earlyDeviceType, hwid, userId } from '../fields/device.ts';
import { nothing, object, optional } from '../values.ts';

export const registerUser = json13('registerUser', {
  description: 'Assigns a device to a user.',
  scope: 'device',
  input: object({
    application: applicationCode,
    userId,
    hwid,
    device_type: earlyDeviceType,
    tz_offset: optional(contactTimezone),
  }),
  output: nothing,
  examples: [
    { request: { application: 'A1B2C-3D4E5', userId: 'user-1', hwid: 'phone-1', tz_offset: 3600 }, reply: undefined },
  ],
});
