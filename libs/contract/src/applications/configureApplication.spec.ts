import { configureApplication } from './configureApplication.ts';

const common = { auth: 'token', application: 'A1B2C-3D4E5' };
const account = { type: 'service_account', project_id: 'p', private_key: 'k', client_email: 'c' };

const png = (side: number): string => {
  const bytes = Buffer.alloc(24);
  Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]).copy(bytes);
  bytes.writeUInt32BE(side, 16);
  bytes.writeUInt32BE(side, 20);
  return bytes.toString('base64');
};
const safari = {
  device_type: 10,
  safari_key_management_type: 'manual',
  safari_url_template: 'https://%@',
  safari_key_file: 'MIIB',
};
const sms = {
  device_type: 18,
  sms_smpp_host: 'h',
  sms_smpp_port: 2775,
  sms_system_id: 's',
  sms_password: 'p',
  sms_sender: 'x',
};
const mail = { device_type: 14, email_from_email: 'a@example.com', email_from_name: 'A', email_reply: 'b@example.com' };
const firefox = {
  device_type: 12,
  firefox_fcm_service_account: account,
  firefox_vapid_key: 'a-_w',
  firefox_vapid_private_key: 'Zm9v',
};

const parse = (fields: object) => configureApplication.parse({ ...common, ...fields });

it.each([
  [{ ...safari, safari_url_template: 'http://%@' }, 'safari_url_template: must begin with https:// and contain %@'],
  [{ ...safari, safari_url_template: 'https://x' }, 'safari_url_template: must begin with https:// and contain %@'],
  [{ ...safari, safari_icon_file: png(255) }, 'safari_icon_file: must be a 256x256 PNG'],
  [{ ...safari, safari_icon_file: 'iVBORw0KGgo=' }, 'safari_icon_file: must be a 256x256 PNG'],
  [{ ...safari, safari_allowed_domains: [''] }, 'safari_allowed_domains[0]: must be 1 to 255 characters'],
  [{ ...safari, safari_allowed_domains: Array(101).fill('a') }, 'safari_allowed_domains: at most 100 entries'],
  [{ ...safari, safari_key_file: '' }, 'safari_key_file: must not be empty'],
  [{ ...safari, safari_key_management_type: 'auto' }, 'safari_key_management_type: must be one of manual'],
  [{ device_type: 8, wns_psid: 'ms://x', wns_secret: '' }, 'wns_psid: must begin with ms-app://'],
  [
    { device_type: 9, adm_cid: 'c', adm_secret: 's', adm_framework: 'Native' },
    'adm_framework: must be one of native, unity, adobeAir',
  ],
  [{ ...firefox, firefox_vapid_key: '!' }, 'firefox_vapid_key: must be base64'],
  [
    { ...firefox, firefox_fcm_service_account: { ...account, project_id: '' } },
    'firefox_fcm_service_account.project_id: must be a non-empty string',
  ],
  [
    { ...firefox, firefox_fcm_service_account: { ...account, more: 'x'.repeat(65_536) } },
    'firefox_fcm_service_account: at most 65536 characters',
  ],
  [{ ...mail, email_reply: 'a.example.com' }, 'email_reply: Email address has invalid count of parts'],
  [{ ...mail, email_from_email: '' }, 'email_from_email: Email address is empty'],
  [{ ...mail, email_from_address: '' }, 'email_from_address: Email address is empty'],
  [{ ...mail, email_dkim_domain: 'a.example' }, 'email_dkim_selector: must be set'],
  [{ ...mail, email_dkim_selector: 's 1' }, 'email_dkim_selector: must be a selector'],
  [{ ...sms, sms_smpp_port: 65_536 }, 'sms_smpp_port: must be 1 to 65535'],
  [{ device_type: 13 }, 'device_type: platform cannot be configured'],
  [{ device_type: 2 }, 'device_type: platform cannot be configured'],
  [{ device_type: 'x' }, 'device_type: must be an integer'],
])('configureApplication refuses %j: %s', (fields, text) => expect(() => parse(fields)).toThrow(text));

it('configureApplication accepts an empty list of domains', () => {
  expect(parse({ ...safari, safari_allowed_domains: [] })).toMatchObject({
    settings: { safari_allowed_domains: '[]' },
  });
});

it('configureApplication accepts a sender whose domain has no mailboxes (R-E2)', () => {
  expect(parse({ ...mail, email_from_email: 'a@mailinator.com' })).toMatchObject({
    platform: 14,
    secrets: ['email_dkim_private_key'],
  });
});

it('configureApplication accepts the address of the sender by its other name (R-A6)', () => {
  const { email_from_email: address, ...others } = mail;
  const settingsOf = (fields: object) => (parse(fields) as { settings: object }).settings;
  expect(settingsOf({ ...others, email_from_address: address })).toEqual(settingsOf(mail));
  expect(settingsOf({ ...mail, email_from_address: 'other@example.com' })).toEqual(settingsOf(mail));
  expect(configureApplication.missing({ ...common, ...others })?.message).toContain('email_from_email');
  expect(configureApplication.missing({ ...common, ...others, email_from_address: address })).toBeUndefined();
});

it('configureApplication passes on the given settings as text, and marks the secret ones', () => {
  expect(
    parse({ ...safari, safari_icon_file: png(256), safari_allowed_domains: ['https://a.example'], adm_cid: 5 }),
  ).toEqual({
    application: 'A1B2C-3D4E5',
    platform: 10,
    settings: {
      safari_key_management_type: 'manual',
      safari_allowed_domains: '["https://a.example"]',
      safari_url_template: 'https://%@',
      safari_icon_file: png(256),
      safari_key_file: 'MIIB',
    },
    secrets: ['safari_key_file', 'safari_key_password'],
    disabled: false,
  });
  expect(parse({ ...firefox, firefox_is_enabled: false })).toMatchObject({
    disabled: true,
    settings: { firefox_vapid_key: 'a-_w', firefox_fcm_service_account: JSON.stringify(account) },
    secrets: ['firefox_fcm_service_account', 'firefox_vapid_private_key'],
  });
  expect(parse({ ...sms, sms_smpp_port: '2775' })).toMatchObject({ settings: { sms_smpp_port: '2775' } });
});
