import { icon256, keyFile } from '../fields/base64.ts';
import { array, integer, oneOf, optional, text, textOf } from '../values.ts';
import { platformFields } from './platform-settings.ts';

const MAX_DOMAINS = 100;

const manual = oneOf(['manual']);
const gateway = integer
  .refine((value) => value === 0 || value === 1, 'must be one of 0, 1')
  .meta({ minimum: 0, maximum: 1 });

/** device_type 1: the specification requires all fields; a .p8 key requires its id, team and bundle (R-A6). */
export const iosFields = platformFields(
  {
    ios_key_management_type: manual,
    ios_key_file: keyFile,
    ios_key_password: text,
    ios_gateway: gateway,
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
  },
  { secrets: ['ios_key_file', 'ios_key_password'] },
);

/** device_type 7: a certificate with its key, in one file or in two, or a .p8 key with its id, team and bundle (R-A6). */
export const macFields = platformFields(
  {
    macos_key_management_type: manual,
    macos_cert_file: optional(keyFile),
    macos_key_file: optional(keyFile),
    macos_key_password: optional(text),
    macos_gateway: gateway,
    macos_bundle_id: optional(text),
    macos_key_id: optional(text),
    macos_team_id: optional(text),
  },
  { secrets: ['macos_cert_file', 'macos_key_file', 'macos_key_password'] },
);

const urlTemplate = text
  .refine((value) => value.startsWith('https://') && value.includes('%@'), 'must begin with https:// and contain %@')
  .meta({ pattern: '^https://.*%@' });

/** device_type 10 (R-A4). */
export const safariFields = platformFields(
  {
    safari_key_management_type: manual,
    safari_website_name: optional(text),
    safari_allowed_domains: optional(array(textOf(1, 255)).max(MAX_DOMAINS, `at most ${MAX_DOMAINS} entries`)),
    safari_url_template: urlTemplate,
    safari_icon_file: optional(icon256),
    safari_key_file: keyFile,
    safari_key_password: optional(text),
  },
  { secrets: ['safari_key_file', 'safari_key_password'] },
);
