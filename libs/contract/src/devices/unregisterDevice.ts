import { json13 } from '../families/json13.ts';
import { applicationCode } from '../fields/application.ts';
import { hwid } from '../fields/device.ts';
import { nothing, object } from '../values.ts';

export const unregisterDevice = json13('unregisterDevice', {
  description: "Removes a device's push token; the record stays and is still counted.",
  scope: 'device',
  input: object({ application: applicationCode, hwid }),
  output: nothing,
  examples: [{ request: { application: 'A1B2C-3D4E5', hwid: 'phone-1' }, reply: undefined }],
});
