import { json13 } from '../families/json13.ts';
import { applicationCode } from '../fields/application.ts';
import { earlyDeviceType } from '../fields/device.ts';
import { nothing, object, tagValues } from '../values.ts';
import { addressee } from './addressee.ts';

export const setTags = json13('setTags', {
  description:
    'Sets, changes or removes (null) tags of a device, or of all devices of a user. The type of a tag determines its ' +
    'valid values.',
  scope: 'device',
  input: object({ application: applicationCode, ...addressee, device_type: earlyDeviceType, tags: tagValues }),
  output: nothing,
  examples: [
    {
      request: {
        application: 'A1B2C-3D4E5',
        hwid: 'phone-1',
        tags: { Level: { operation: 'increment', value: 1 }, Name: 'Anna', Old: null },
      },
      reply: undefined,
    },
    { request: { application: 'A1B2C-3D4E5', hwid: null, userId: 'user-1', tags: {} }, reply: undefined },
  ],
});
