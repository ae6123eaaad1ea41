import { senderAddress } from '../fields/email-address.ts';
import { optionalUnless } from '../presence.ts';
import { oneOf, optional, text } from '../values.ts';
import { platformFields } from './platform-settings.ts';

const psid = text
  .refine((value) => value.startsWith('ms-app://'), 'must begin with ms-app://')
  .meta({ pattern: '^ms-app://' });

export const windowsFields = platformFields(
  {
    wns_psid: psid.describe('Package security identifier; begins with `ms-app://`.'),
    wns_secret: text.describe('Secret of the package.'),
  },
  { secrets: ['wns_secret'] },
);

export const amazonFields = platformFields(
  {
    adm_cid: text.describe('Client ID of the Amazon security profile.'),
    adm_secret: text.describe('Client secret of the Amazon security profile.'),
    adm_framework: oneOf(['native', 'unity', 'adobeAir']).describe('What the app is built with.'),
  },
  { secrets: ['adm_cid', 'adm_secret'] },
);

const HOST_NAME = /^([a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9])?\.)*[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9])?$/i;

const dkimFields = {
  email_dkim_domain: optional(text.refine((name) => HOST_NAME.test(name), 'must be a domain')).describe(
    'Domain that signs the e-mails. The settings of DKIM come together or not at all.',
  ),
  email_dkim_selector: optional(text.refine((name) => HOST_NAME.test(name), 'must be a selector')).describe(
    'Selector of the public key in the records of that domain.',
  ),
  email_dkim_private_key: optional(text).describe(
    'Private key that signs the e-mails, in PEM without a password: RSA of 1024 to 4096 bits, or Ed25519.',
  ),
};

/** Required, unless its other name is given. */
const fromEmail = optionalUnless(senderAddress, ({ email_from_email: address, email_from_address: other }) =>
  (address ?? other ?? undefined) === undefined ? 'email_from_email' : undefined,
);

/**
 * `email_from_email` prevails over `email_from_address`. DKIM settings come together or not at all (R-A6). The registry checks verified addresses
 * (R-A5).
 */
export const emailFields = platformFields(
  {
    email_from_email: fromEmail.describe('Sender address. It must be verified if the operator requires that.'),
    email_from_name: text.describe('Sender name.'),
    email_reply: senderAddress.describe('Reply-to address. It must be verified if the operator requires that.'),
    email_from_address: optional(senderAddress).describe('Another name of `email_from_email`, which prevails.'),
    ...dkimFields,
  },
  { secrets: ['email_dkim_private_key'] },
)
  .superRefine(({ settings }, context) => {
    const missing = Object.keys(dkimFields).filter((name) => settings[name] === undefined);
    if (missing.length === 0 || missing.length === Object.keys(dkimFields).length) return;
    context.addIssue({ code: 'custom', message: 'must be set', path: [missing[0]!] });
  })
  .transform((given) => {
    const { email_from_address: other, ...settings } = given.settings;
    return other === undefined ? given : { ...given, settings: { email_from_email: other, ...settings } };
  });

export const huaweiFields = platformFields(
  {
    huawei_app_id: text.describe('Identifier of the Huawei app.'),
    huawei_app_secret: text.describe('Secret of the Huawei app.'),
  },
  { secrets: ['huawei_app_secret'] },
);

export const whatsAppFields = platformFields(
  {
    whats_app_phone_number_id: text.describe('Identifier of the sending phone number.'),
    whats_app_access_token: text.describe('Access token of WhatsApp.'),
    whats_app_app_secret: optional(text).describe(
      'Secret of the app in which WhatsApp sends receipts. Receipts are accepted only with it.',
    ),
    whats_app_verify_token: optional(text).describe(
      'Token by which WhatsApp verifies the address of receipts, `/webhooks/whatsapp/{application}`.',
    ),
  },
  { secrets: ['whats_app_access_token', 'whats_app_app_secret', 'whats_app_verify_token'] },
);

export const kakaoFields = platformFields(
  {
    kakao_sender_key: text.describe('Key of the sending profile.'),
    kakao_app_key: text.describe('Key of the Kakao app.'),
    kakao_secret_key: text.describe('Secret of the Kakao app.'),
  },
  { secrets: ['kakao_sender_key', 'kakao_app_key', 'kakao_secret_key'] },
);

export const lineFields = platformFields(
  { line_channel_access_token: text.describe('Access token of the LINE channel.') },
  { secrets: ['line_channel_access_token'] },
);
