import { z } from 'zod';
import { json13 } from '../families/json13.ts';
import { applicationCode } from '../fields/application.ts';
import { object, text } from '../values.ts';

const files: ReadonlySet<string> = new Set([
  'ios_auto_privatekey',
  'ios_manual_privatekey',
  'ios_auto_certificate',
  'ios_manual_certificate',
  'ios_push_certificate',
  'ios_provisioning_profile',
  'macos_manual_privatekey',
  'macos_manual_certificate',
  'macos_push_certificate',
  'safari_manual_privatekey',
  'safari_push_certificate',
  'safari_push_package',
  'wp7_cert',
  'wp7_key',
  'wp7_ca',
]);

export const getApplicationFile = json13('getApplicationFile', {
  description:
    'Returns a configured certificate or key as a PEM block and nothing else, or the Safari push package, a ZIP ' +
    'archive in base64. A file that is not stored is 210 `File not found`; one that its password does not open is ' +
    '210 `File cannot be opened`.',
  scope: 'api',
  textReply: true,
  input: object({
    application: applicationCode,
    file: text
      .refine((file) => files.has(file), 'unknown value')
      .meta({ enum: [...files] })
      .describe(
        'File to return: a private key or a certificate such as `ios_push_certificate`, or `safari_push_package`.',
      ),
  }),
  output: z.string(),
  examples: [
    {
      request: { auth: 'token', application: 'A1B2C-3D4E5', file: 'ios_push_certificate' },
      reply: '-----BEGIN CERTIFICATE-----',
    },
  ],
});
