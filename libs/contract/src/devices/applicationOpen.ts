import { json13 } from '../families/json13.ts';
import { applicationCode } from '../fields/application.ts';
import { hwid, language, timezoneSeconds, userId } from '../fields/device.ts';
import { nothing, object, optional, text } from '../values.ts';

/** Notes that a device opened its application, and what it says of itself with that (R-C10). Spec C. */
export const applicationOpen = json13('applicationOpen', {
  scope: 'device',
  omitResponse: true,
  input: object({
    application: applicationCode,
    hwid,
    userId: optional(userId),
    language: optional(language),
    timezone: optional(timezoneSeconds),
    app_version: optional(text),
    os_version: optional(text),
    device_model: optional(text),
  }).transform((request) => ({
    application: request.application,
    hwid: request.hwid,
    said: {
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
