import type { z } from 'zod';
import { base64 } from '../fields/base64.ts';
import { integer, object, oneOf, optional, text } from '../values.ts';

/** The fields of device_type 1, all required by the specification; a .p8 key comes with its id, its team and the bundle (R-A6). */
export const iosFields = object({
  ios_key_management_type: oneOf(['manual']),
  ios_key_file: base64,
  ios_key_password: text,
  ios_gateway: integer.refine((value) => value === 0 || value === 1, 'must be one of 0, 1'),
  ios_framework: oneOf([
    'native',
    'cordova',
    'titanium',
    'marmalade',
    'adobeAir',
    'corona',
    'xamarin',
    'phoneGapBuild',
    'triggerIO',
    'unity',
  ]),
  ios_bundle_id: optional(text),
  ios_key_id: optional(text),
  ios_team_id: optional(text),
});

const secrets: readonly string[] = ['ios_key_file', 'ios_key_password'];

/** What is stored of them: named settings, and the names of those that are secret. */
export const iosSettings = (fields: z.output<typeof iosFields>) => ({
  settings: Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  ),
  secrets,
});
