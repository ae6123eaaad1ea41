import { json13 } from '../families/json13.ts';
import { applicationCode } from '../fields/application.ts';
import { hwid } from '../fields/device.ts';
import { nothing, object } from '../values.ts';

const definition = {
  scope: 'device',
  unauthorized: true,
  input: object({ application: applicationCode, hwid }),
  output: nothing,
  examples: [{ request: { application: 'A1B2C-3D4E5', hwid: 'phone-2' }, reply: undefined }],
} as const;

export const deleteDevice = json13('deleteDevice', {
  description:
    'Erases a device: its record, tags, inbox and location are removed within 5 seconds; statistics of past messages ' +
    'stay. An unknown device succeeds.',
  ...definition,
});

export const deleteDeviceBare = json13('device-api/deleteDevice', {
  description: 'Erases a device as deleteDevice does; the body is the parameters themselves.',
  ...definition,
  path: '/api/v2/device-api/deleteDevice',
  body: 'bare',
});
