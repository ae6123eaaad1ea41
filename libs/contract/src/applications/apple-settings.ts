import { icon256, keyFile } from '../fields/base64.ts';
import { array, integer, oneOf, optional, text, textOf } from '../values.ts';
import { platformFields } from './platform-settings.ts';

const MAX_DOMAINS = 100;

const manual = oneOf(['manual']).describe('Always `manual`.');
const gateway = integer
  .refine((value) => value === 0 || value === 1, 'must be one of 0, 1')
  .meta({ minimum: 0, maximum: 1 })
  .describe('APNs environment that the app is signed for: 0 sandbox, 1 production.');

/** The specification requires all fields; a .p8 key requires its id, team and bundle (R-A6). */
export const iosFields = platformFields(
  {
    ios_key_management_type: manual,
    ios_key_file: keyFile.describe(
      'Key or certificate for APNs in base64: .p12, or .p8 with `ios_key_id`, `ios_team_id` and `ios_bundle_id`.',
    ),
    ios_key_password: text.describe('Password of the key file; an empty string if it has none.'),
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
    ]).describe('What the app is built with.'),
    ios_bundle_id: optional(text).describe('Bundle identifier of the app; required with a .p8 key.'),
    ios_key_id: optional(text).describe('Identifier of a .p8 key.'),
    ios_team_id: optional(text).describe('Apple team of a .p8 key.'),
  },
  { secrets: ['ios_key_file', 'ios_key_password'] },
);

export const macFields = platformFields(
  {
    macos_key_management_type: manual,
    macos_cert_file: optional(keyFile).describe('Certificate for APNs in base64, unless it is in the key file.'),
    macos_key_file: optional(keyFile).describe(
      'Key for APNs in base64: of the certificate, with it in a .p12, or .p8 with `macos_key_id`, `macos_team_id` ' +
        'and `macos_bundle_id`.',
    ),
    macos_key_password: optional(text).describe('Password of the key file.'),
    macos_gateway: gateway,
    macos_bundle_id: optional(text).describe('Bundle identifier of the app; required with a .p8 key.'),
    macos_key_id: optional(text).describe('Identifier of a .p8 key.'),
    macos_team_id: optional(text).describe('Apple team of a .p8 key.'),
  },
  { secrets: ['macos_cert_file', 'macos_key_file', 'macos_key_password'] },
);

const urlTemplate = text
  .refine((value) => value.startsWith('https://') && value.includes('%@'), 'must begin with https:// and contain %@')
  .meta({ pattern: '^https://.*%@' });

export const safariFields = platformFields(
  {
    safari_key_management_type: manual,
    safari_website_name: optional(text).describe('Website name that Safari shows.'),
    safari_allowed_domains: optional(array(textOf(1, 255)).max(MAX_DOMAINS, `at most ${MAX_DOMAINS} entries`)).describe(
      'Websites that may ask for permission.',
    ),
    safari_url_template: urlTemplate.describe(
      'URL that a click opens; it begins with `https://` and contains `%@` for each argument.',
    ),
    safari_icon_file: optional(icon256).describe(
      'Icon of the website: a PNG of 256 x 256 pixels and at most 1 MiB in base64.',
    ),
    safari_key_file: keyFile.describe('Key and certificate for website push in base64, a .p12.'),
    safari_key_password: optional(text).describe('Password of the key file.'),
  },
  { secrets: ['safari_key_file', 'safari_key_password'] },
);
