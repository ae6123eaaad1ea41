import { senderAddress } from '../fields/email-address.ts';
import { optionalUnless } from '../presence.ts';
import { oneOf, optional, text } from '../values.ts';
import { platformFields } from './platform-settings.ts';

const psid = text
  .refine((value) => value.startsWith('ms-app://'), 'must begin with ms-app://')
  .meta({ pattern: '^ms-app://' });

/** device_type 8 (R-A4). */
export const windowsFields = platformFields({ wns_psid: psid, wns_secret: text }, { secrets: ['wns_secret'] });

/** device_type 9. */
export const amazonFields = platformFields(
  { adm_cid: text, adm_secret: text, adm_framework: oneOf(['native', 'unity', 'adobeAir']) },
  { secrets: ['adm_cid', 'adm_secret'] },
);

const HOST_NAME = /^([a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9])?\.)*[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9])?$/i;

const dkimFields = {
  email_dkim_domain: optional(text.refine((name) => HOST_NAME.test(name), 'must be a domain')),
  email_dkim_selector: optional(text.refine((name) => HOST_NAME.test(name), 'must be a selector')),
  email_dkim_private_key: optional(text),
};

/** Required, unless the address of the sender is given by its other name. */
const fromEmail = optionalUnless(senderAddress, ({ email_from_email: address, email_from_address: other }) =>
  (address ?? other ?? undefined) === undefined ? 'email_from_email' : undefined,
);

/**
 * device_type 14; the registry checks whether an address is verified (R-A5). `email_from_address` is another name of `email_from_email`, which prevails.
 * The settings of DKIM come together or not at all (R-A6).
 */
export const emailFields = platformFields(
  {
    email_from_email: fromEmail,
    email_from_name: text,
    email_reply: senderAddress,
    email_from_address: optional(senderAddress),
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

/** device_type 17 (R-A6), as are the following. */
export const huaweiFields = platformFields(
  { huawei_app_id: text, huawei_app_secret: text },
  { secrets: ['huawei_app_secret'] },
);

/** device_type 21. */
export const whatsAppFields = platformFields(
  {
    whats_app_phone_number_id: text,
    whats_app_access_token: text,
    whats_app_app_secret: optional(text),
    whats_app_verify_token: optional(text),
  },
  { secrets: ['whats_app_access_token', 'whats_app_app_secret', 'whats_app_verify_token'] },
);

/** device_type 22. */
export const kakaoFields = platformFields(
  { kakao_sender_key: text, kakao_app_key: text, kakao_secret_key: text },
  { secrets: ['kakao_sender_key', 'kakao_app_key', 'kakao_secret_key'] },
);

/** device_type 23. */
export const lineFields = platformFields(
  { line_channel_access_token: text },
  { secrets: ['line_channel_access_token'] },
);
