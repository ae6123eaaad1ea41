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

/**
 * Erases a device: record, tags, inbox and location are gone within 5 seconds, figures of past messages stay. An unknown device is no
 * fault (R-C7, R-C8). Spec C.
 */
export const deleteDevice = json13('deleteDevice', definition);

/** Erases a device as deleteDevice does, with the parameters as the body itself (R-ER3). Spec C. */
export const deleteDeviceBare = json13('device-api/deleteDevice', {
  ...definition,
  path: '/api/v2/device-api/deleteDevice',
  body: 'bare',
});
