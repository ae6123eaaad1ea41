import { json13 } from '../families/json13.ts';
import { applicationCode } from '../fields/application.ts';
import { deviceLanguage, earlyDeviceType, hwid, timezoneSeconds, userId } from '../fields/device.ts';
import { nothing, object, optional, text } from '../values.ts';

export const applicationOpen = json13('applicationOpen', {
  description: 'Records that a device opened the application, with the properties that it reports.',
  scope: 'device',
  omitResponse: true,
  input: object({
    application: applicationCode,
    hwid,
    device_type: earlyDeviceType,
    userId: optional(userId),
    language: deviceLanguage,
    timezone: optional(timezoneSeconds),
    app_version: optional(text).describe('Version of the app on the device.'),
    os_version: optional(text).describe('Version of the operating system.'),
    device_model: optional(text).describe('Model of the device.'),
  }).transform((request) => ({
    application: request.application,
    hwid: request.hwid,
    device_type: request.device_type,
    properties: {
      userId: request.userId,
      language: request.language,
      timezoneSeconds: request.timezone,
      appVersion: request.app_version,
      osVersion: request.os_version,
      deviceModel: request.device_model,
    },
  })),
  output: nothing,
  examples: [{ request: { application: 'A1B2C-3D4E5', hwid: 'phone-1', app_version: '1.2.4' }, reply: undefined }],
});
