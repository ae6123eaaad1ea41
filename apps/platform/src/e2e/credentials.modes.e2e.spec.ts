import { createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type CredentialFaultName, credentialFaults } from '@tidings/channels';
import { programOf } from '@tidings/cli';
import { apnsToken, fcmToken } from '@tidings/simulators';
import { isDkimSigned, type Parameters, platform, type PlatformWorld, pushCertificate } from '@tidings/testing';

const [IOS, ANDROID, SAFARI, EMAIL, LINE] = [1, 3, 10, 14, 23];

let world: PlatformWorld;
beforeAll(async () => {
  world = await platform({ simulators: { keepPayloads: true } });
});
afterAll(() => world?.stop());

const base64 = (file: string | Buffer): string => Buffer.from(file).toString('base64');
const pem = (key: KeyObject, passphrase?: string): string =>
  key
    .export({ type: 'pkcs8', format: 'pem', ...(passphrase !== undefined && { cipher: 'aes-256-cbc', passphrase }) })
    .toString();
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
const own = pushCertificate('Own', { password: 'geheim' });
const other = pushCertificate('Other', { uid: 'com.example' });

const ios = (file: string | Buffer, more: Parameters = {}): Parameters => ({
  device_type: IOS,
  ios_key_management_type: 'manual',
  ios_gateway: 1,
  ios_framework: 'native',
  ios_key_file: base64(file),
  ios_key_password: '',
  ...more,
});
const android = (private_key: string): Parameters => ({
  device_type: ANDROID,
  android_framework: 'native',
  android_fcm_service_account: { type: 'service_account', project_id: 'p', client_email: 'a@p.example', private_key },
});

const HWID = `U${'0'.repeat(32)}`;
const tokens: Readonly<Record<number, string>> = {
  [IOS]: apnsToken('accepted', 1),
  [ANDROID]: fcmToken('accepted', 1),
  [SAFARI]: 'ab'.repeat(32),
};

const faults: readonly (readonly [CredentialFaultName, Parameters])[] = [
  ['wrong_password', ios(Buffer.from(own.p12, 'base64'), { ios_key_password: 'another' })],
  ['missing_key', ios(own.cert)],
  ['mismatched_key', ios(own.cert + other.key)],
  ['not_configured', ios(own.cert + own.key)],
  ['unsupported_key', ios(pem(generateKeyPairSync('ed25519').privateKey))],
  ['unusable_key', ios('a key')],
  ['key_file_limits', ios('-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n'.repeat(33))],
  ['encrypted_key', android(pem(rsa, 'geheim'))],
  [
    'missing_certificate',
    {
      device_type: SAFARI,
      safari_key_management_type: 'manual',
      safari_url_template: 'https://%@',
      safari_key_file: base64(own.key),
    },
  ],
  ['unusable_setting', { device_type: LINE, line_channel_access_token: 'töken' }],
];

async function run(...words: string[]): Promise<string> {
  let output = '';
  const program = programOf((text) => (output += text));
  await program.parseAsync(['--url', world.url, '--admin-token', world.secrets.admin, ...words], { from: 'user' });
  process.exitCode = 0;
  return output;
}

describe('a stored credential that is unusable', () => {
  it('is explained in a sentence for a device, and by the doctor (R-A2, R-P1)', async () => {
    const sent = [];
    for (const [name, settings] of faults) {
      const platformCode = Number(settings['device_type']);
      const application = await world.application({ ios: false, android: false });
      await world.call('configureApplication', { application, ...settings });
      const push_token = tokens[platformCode];
      await world.call('registerDevice', { application, hwid: HWID, device_type: platformCode, push_token });
      const notifications = [{ content: 'x', devices: [HWID] }];
      await world.call('setDebug', { code: application });
      const { Messages } = await world.call('createMessage', { application, notifications });
      sent.push({ name, application, message: Messages[0]! });
    }
    await world.settle();
    const doctor = await run('doctor');
    for (const { name, application, message } of sent) {
      const { sentence, remedy } = credentialFaults[name];
      const explained = await run('explain', application, message, HWID);
      expect(explained).toContain(`Sending failed: INVALID_CONFIGURATION, ${name}. ${sentence}`);
      const lines = doctor.split('\n');
      const at = lines.findIndex((line) => line.includes(`of ${application} cannot be used: ${name}`));
      expect(lines[at]).toContain(sentence);
      expect(lines[at + 1]).toContain(remedy);
    }
  });
});

describe('the DKIM key', () => {
  const mail = { email_from_email: 'shop@keys.example', email_from_name: 'Shop', email_reply: 'help@keys.example' };
  const dkim = (key: string): Parameters => ({
    device_type: EMAIL,
    ...mail,
    email_dkim_domain: 'keys.example',
    email_dkim_selector: 's1',
    email_dkim_private_key: key,
  });
  const ed25519 = pem(generateKeyPairSync('ed25519').privateKey);

  it.each([
    ['Ed25519', ed25519],
    ['Ed25519 with CR', ed25519.replaceAll('\n', '\r')],
    ['RSA of 1024 bits', pem(generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey)],
  ])('may be %s (R-A6, RFC 8463)', async (kind, key) => {
    const application = await world.application({ ios: false, android: false });
    await world.call('configureApplication', { application, ...dkim(key) });
    const email = `${kind.toLowerCase().replaceAll(' ', '-')}@keys.example`;
    await world.call('registerEmail', { application, email });
    await world.call('createMessage', { application, notifications: [{ content: 'Hello', platforms: [EMAIL] }] });
    await world.settle();
    const [entry] = world.simulators.ledger.of('email').entries({ token: email });
    expect(isDkimSigned(entry!.payload!, createPublicKey(key.replaceAll('\r', '\n')))).toBe(true);
  });

  it.each([
    ['encrypted_key', pem(rsa, 'geheim')],
    ['unsupported_key', pem(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey)],
    ['unusable_key', ed25519.replace('MC4', 'MC5')],
    ['missing_key', 'key'],
  ] as const)('is refused at once: %s', async (name, key) => {
    const application = await world.application({ ios: false, android: false });
    const { body } = await world.reply('configureApplication', { application, ...dkim(key) });
    expect(body).toMatchObject({
      status_code: 210,
      status_message: `email_dkim_private_key: ${credentialFaults[name].sentence}`,
    });
  });
});
