import { createECDH, createPublicKey, generateKeyPairSync, type KeyObject, verify } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import { describe, expect, it } from '@jest/globals';
import {
  type ApnsCredential,
  credentialFaults,
  definitions,
  type FcmCredential,
  type MailSender,
  readCredential,
  type SendResult,
  type WebPushCredential,
  writtenMail,
} from '@tidings/channels';
import { api } from '@tidings/contract';
import { Platform } from '@tidings/kernel';
import { isDkimSigned, pushCertificate, TestClock } from '@tidings/testing';
import { ProviderToken } from '../apns/provider-token.ts';
import { fixedToken } from '../http1-channel.ts';
import { keyOpener } from '../prepared.ts';
import { Vapid } from '../webpush/vapid.ts';
import { clientCredentialsGrant, serviceAccountGrant } from './grants.ts';

const { apns, fcm, webpush, email, hms, adm, wns, sms, whatsapp, line, kakao } = definitions;
const clock = new TestClock();

type Fields = Readonly<Record<string, unknown>>;
type Forms = Readonly<Record<string, Fields>>;
type Faults = Readonly<Record<string, readonly [fields: Fields, name: keyof typeof credentialFaults]>>;

interface Subject {
  readonly platform: number;
  readonly base: Fields;
  readonly read: (platform: number, settings: ReadonlyMap<string, string>) => Promise<unknown>;
  readonly works: (credential: never) => Promise<boolean> | boolean;
  readonly fields: readonly string[];
  readonly accepted: Forms;
  readonly refused: Faults;
}

const reading =
  (definition: { readonly credential: Parameters<typeof readCredential>[0] }): Subject['read'] =>
  (platform, settings) =>
    readCredential(definition.credential, { platform, settings }, keyOpener);

const base64 = (text: string | Buffer): string => Buffer.from(text).toString('base64');
const pem = (key: KeyObject, type: 'pkcs8' | 'pkcs1' | 'sec1' = 'pkcs8'): string =>
  key.export({ type, format: 'pem' }).toString();
const encryptedPem = (key: KeyObject, passphrase: string): string =>
  key.export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase }).toString();

const keys = {
  p256: generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey,
  p384: generateKeyPairSync('ec', { namedCurve: 'P-384' }).privateKey,
  rsa1024: generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey,
  rsa2048: generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey,
  ed25519: generateKeyPairSync('ed25519').privateKey,
};
const textForms = (text: string): Readonly<Record<string, string>> => ({
  'as it is': text,
  'with CR': text.replaceAll('\n', '\r'),
  'with CRLF': text.replaceAll('\n', '\r\n'),
  'with escaped line ends': text.replaceAll('\n', '\\n'),
  'without a final line end': text.trimEnd(),
  'with a byte order mark and text before it': `\ufeffKey:\n${text}`,
});
const formsOf = (name: string, text: string, fieldsOf: (form: string) => Fields): Forms =>
  Object.fromEntries(Object.entries(textForms(text)).map(([form, value]) => [`${name} ${form}`, fieldsOf(value)]));

const isSignedBy = (token: string, key: KeyObject): boolean => {
  const [header, claims, signature] = token.split('.');
  const options = { key: createPublicKey(key), dsaEncoding: 'ieee-p1363' as const };
  return verify('sha256', Buffer.from(`${header}.${claims}`), options, Buffer.from(signature!, 'base64url'));
};

const p12 = pushCertificate('Apple Push Services: com.example', { uid: 'com.example', password: 'pässwörd' });
const unnamed = pushCertificate('Example');
const website = pushCertificate('Website Push ID: web.com.example', { uid: 'web.com.example' });

const emptyCertificate = '-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n';

const worksAtApns = ({ proof }: ApnsCredential): boolean => {
  if (proof.by === 'token') {
    const token = new ProviderToken(proof, clock).authorization();
    return isSignedBy(token.slice('bearer '.length), keys.p256);
  }
  return createSecureContext(proof.tls) !== undefined;
};
const apnsFaults = (file: string, password: string, ids: Fields): Faults => ({
  'a wrong password': [{ [file]: p12.p12, [password]: 'passwort' }, 'wrong_password'],
  'no password': [{ [file]: base64(encryptedPem(keys.p256, 'geheim')), ...ids }, 'wrong_password'],
  'a certificate alone': [{ [file]: base64(p12.cert) }, 'missing_key'],
  'the key of another certificate': [{ [file]: base64(p12.cert + unnamed.key) }, 'mismatched_key'],
  'RSA of 1024 bits': [{ [file]: base64(pem(keys.rsa1024)), ...ids }, 'unsupported_key'],
  Ed25519: [{ [file]: base64(pem(keys.ed25519)), ...ids }, 'unsupported_key'],
  'a file of 33 certificates': [{ [file]: base64(emptyCertificate.repeat(33)) }, 'key_file_limits'],
  'anything else': [{ [file]: base64('anything'), ...ids }, 'unusable_key'],
});
const appleTokens = (file: string, ids: Fields): Forms => ({
  ...formsOf('PKCS#8', pem(keys.p256), (text) => ({ [file]: base64(text), ...ids })),
  ...formsOf('SEC1', pem(keys.p256, 'sec1'), (text) => ({ [file]: base64(text), ...ids })),
});
const apple = (prefix: 'ios' | 'macos') => {
  const ids = { [`${prefix}_bundle_id`]: 'com.example', [`${prefix}_key_id`]: 'K', [`${prefix}_team_id`]: 'T' };
  const [file, password] = [`${prefix}_key_file`, `${prefix}_key_password`];
  return {
    ids,
    accepted: {
      ...appleTokens(file, ids),
      'an encrypted key': { [file]: base64(encryptedPem(keys.p256, 'geheim')), [password]: 'geheim', ...ids },
      'a .p12 with a password beyond ASCII': { [file]: p12.p12, [password]: 'pässwörd' },
      'a .p12 with an empty password': { [file]: unnamed.p12, [`${prefix}_bundle_id`]: 'com.example' },
      ...formsOf('a certificate with its key', p12.cert + p12.key, (text) => ({ [file]: base64(text) })),
    },
    refused: {
      ...apnsFaults(file, password, ids),
      'a key of RSA that signs tokens': [{ [file]: base64(pem(keys.rsa2048)), ...ids }, 'unsupported_key'],
      'P-384': [{ [file]: base64(pem(keys.p384)), ...ids }, 'unsupported_key'],
      'a key without its ids': [{ [file]: base64(pem(keys.p256)) }, 'not_configured'],
      'a certificate without a user id': [{ [file]: unnamed.p12 }, 'not_configured'],
      'a bundle id of two lines': [
        { [file]: p12.p12, [password]: 'pässwörd', [`${prefix}_bundle_id`]: 'com\nexample' },
        'unusable_setting',
      ],
    } satisfies Faults,
  };
};

const account = (private_key: string, others: Fields = {}): Fields => ({
  type: 'service_account',
  project_id: 'p',
  client_email: 'push@example.com',
  private_key,
  ...others,
});
const googleForms = (field: string): Pick<Subject, 'accepted' | 'refused'> => ({
  accepted: {
    ...formsOf('PKCS#8', pem(keys.rsa2048), (text) => ({ [field]: account(text) })),
    ...formsOf('PKCS#1', pem(keys.rsa2048, 'pkcs1'), (text) => ({ [field]: account(text) })),
  },
  refused: {
    'an encrypted key': [{ [field]: account(encryptedPem(keys.rsa2048, 'geheim')) }, 'encrypted_key'],
    'a key on a curve': [{ [field]: account(pem(keys.p256)) }, 'unsupported_key'],
    'RSA of 1024 bits': [{ [field]: account(pem(keys.rsa1024)) }, 'unsupported_key'],
    'a key without its end': [{ [field]: account('-----BEGIN PRIVATE KEY-----') }, 'missing_key'],
    'a damaged key': [{ [field]: account(pem(keys.rsa2048).replace('MII', 'MIA')) }, 'unusable_key'],
    'a text of 20,000 characters': [{ [field]: account('k'.repeat(20_000)) }, 'key_file_limits'],
  },
});
const worksAtGoogle = ({ account: of }: FcmCredential): boolean =>
  isSignedBy(serviceAccountGrant(of, 'scope')(clock.now()).fields['assertion']!, keys.rsa2048);

const ecdh = createECDH('prime256v1');
ecdh.setPrivateKey(Buffer.concat([Buffer.alloc(1), Buffer.alloc(31, 7)]));
const point = ecdh.getPublicKey();
const scalar = Buffer.concat([Buffer.alloc(1), Buffer.alloc(31, 7)]);
const vapidForms = (browser: 'chrome' | 'firefox'): Pick<Subject, 'accepted' | 'refused' | 'fields'> => {
  const [publicKey, privateKey] = [`${browser}_vapid_key`, `${browser}_vapid_private_key`];
  const both = (own: Buffer, secret: Buffer, encoding: 'base64' | 'base64url' = 'base64url'): Fields => ({
    [publicKey]: own.toString(encoding),
    [privateKey]: secret.toString(encoding),
  });
  return {
    fields: [publicKey, privateKey],
    accepted: {
      base64url: both(point, scalar),
      base64: both(point, scalar, 'base64'),
      'without its leading zero': both(point, scalar.subarray(1)),
      'with one more leading zero': both(point, Buffer.concat([Buffer.of(0), scalar])),
    },
    refused: {
      'another public key': [both(createECDH('prime256v1').generateKeys(), scalar), 'mismatched_key'],
      'a private key of 33 digits': [both(point, Buffer.alloc(33, 7)), 'unusable_key'],
      'a private key of zeros': [both(point, Buffer.alloc(32)), 'unusable_key'],
    },
  };
};
const worksAtPushServices = (credential: WebPushCredential): boolean => {
  const token = new Vapid({ credential, subject: undefined, clock }).authorizationFor('https://push.example');
  return isSignedBy(/^vapid t=([^,]+),/.exec(token)![1]!, credential.key);
};

const letter = { headers: ['From: shop@example.com', 'Subject: News'], body: 'News\r\n' };
const signsMails = ({ dkim }: MailSender): boolean =>
  isDkimSigned(writtenMail(letter, dkim, new Date(clock.now())).toString(), createPublicKey(dkim!.key));
const DKIM = 'email_dkim_private_key';

const isWritten = async (secret: string): Promise<boolean> => (await fixedToken(secret).get()) === 'secret';
const isGranted = (id: string, secret: string): boolean => {
  const { fields } = clientCredentialsGrant('https://token.example', { id, secret })();
  return fields['client_id'] === 'id' && fields['client_secret'] === 'secret';
};
const headerForms = (field: string): Pick<Subject, 'accepted' | 'refused'> => ({
  accepted: { text: { [field]: 'secret' }, 'text with blanks around it': { [field]: ' secret\r\n' } },
  refused: {
    'text beyond ASCII': [{ [field]: 'sécret' }, 'unusable_setting'],
    'text of two lines': [{ [field]: 'sec\nret' }, 'unusable_setting'],
    nothing: [{ [field]: '' }, 'not_configured'],
  },
});
const clientForms = (id: string, secret: string): Pick<Subject, 'accepted' | 'refused' | 'fields'> => ({
  fields: [id, secret],
  accepted: { text: { [id]: 'id', [secret]: 'secret' } },
  refused: { 'an empty secret': [{ [secret]: '' }, 'not_configured'] },
});

const ios = apple('ios');
const macos = apple('macos');

const subjects: Readonly<Record<string, Subject>> = {
  iOS: {
    ...ios,
    platform: Platform.iOS,
    base: { ios_key_management_type: 'manual', ios_key_password: '', ios_gateway: 1, ios_framework: 'native' },
    fields: ['ios_key_file', 'ios_key_password'],
    read: reading(apns),
    works: worksAtApns,
  },
  macOS: {
    platform: Platform.MacOS,
    base: { macos_key_management_type: 'manual', macos_gateway: 1 },
    fields: ['macos_cert_file', 'macos_key_file', 'macos_key_password'],
    read: reading(apns),
    works: worksAtApns,
    accepted: {
      ...macos.accepted,
      'two files': { macos_cert_file: base64(p12.cert), macos_key_file: base64(p12.key) },
    },
    refused: {
      ...macos.refused,
      'two files of different pairs': [
        { macos_cert_file: base64(p12.cert), macos_key_file: base64(unnamed.key) },
        'mismatched_key',
      ],
      'no file': [{}, 'not_configured'],
    },
  },
  Safari: {
    platform: Platform.Safari,
    base: { safari_key_management_type: 'manual', safari_url_template: 'https://%@' },
    fields: ['safari_key_file', 'safari_key_password'],
    read: reading(apns),
    works: worksAtApns,
    accepted: { 'a .p12': { safari_key_file: website.p12 } },
    refused: {
      ...apnsFaults('safari_key_file', 'safari_key_password', {}),
      'a key alone': [{ safari_key_file: base64(pem(keys.p256)) }, 'missing_certificate'],
      'the certificate of something else': [{ safari_key_file: unnamed.p12 }, 'not_configured'],
    },
  },
  Android: {
    platform: Platform.Android,
    base: { android_framework: 'native' },
    fields: ['android_fcm_service_account'],
    read: reading(fcm),
    works: worksAtGoogle,
    ...googleForms('android_fcm_service_account'),
  },
  'Chrome by FCM': {
    platform: Platform.Chrome,
    base: { chrome_vapid_key: 'Zm9v', chrome_vapid_private_key: 'Zm9v' },
    fields: ['chrome_fcm_service_account'],
    read: reading(fcm),
    works: worksAtGoogle,
    ...googleForms('chrome_fcm_service_account'),
  },
  'Firefox by FCM': {
    platform: Platform.Firefox,
    base: { firefox_vapid_key: 'Zm9v', firefox_vapid_private_key: 'Zm9v' },
    fields: ['firefox_fcm_service_account'],
    read: reading(fcm),
    works: worksAtGoogle,
    ...googleForms('firefox_fcm_service_account'),
  },
  Chrome: {
    platform: Platform.Chrome,
    base: { chrome_fcm_service_account: account('key') },
    read: reading(webpush),
    works: worksAtPushServices,
    ...vapidForms('chrome'),
  },
  Firefox: {
    platform: Platform.Firefox,
    base: { firefox_fcm_service_account: account('key') },
    read: reading(webpush),
    works: worksAtPushServices,
    ...vapidForms('firefox'),
  },
  'e-mail': {
    platform: Platform.Email,
    base: {
      email_from_email: 'shop@example.com',
      email_from_name: 'Shop',
      email_reply: 'help@example.com',
      email_dkim_domain: 'example.com',
      email_dkim_selector: 's1',
    },
    fields: [DKIM],
    read: reading(email),
    works: signsMails,
    accepted: {
      ...formsOf('Ed25519', pem(keys.ed25519), (text) => ({ [DKIM]: text })),
      ...formsOf('RSA', pem(keys.rsa2048), (text) => ({ [DKIM]: text })),
      'PKCS#1': { [DKIM]: pem(keys.rsa2048, 'pkcs1') },
      'RSA of 1024 bits': { [DKIM]: pem(keys.rsa1024) },
    },
    refused: {
      'a key on a curve': [{ [DKIM]: pem(keys.p256) }, 'unsupported_key'],
      'an encrypted key': [{ [DKIM]: encryptedPem(keys.rsa2048, 'geheim') }, 'encrypted_key'],
      'no key': [{ [DKIM]: 'key' }, 'missing_key'],
      'a damaged key': [{ [DKIM]: pem(keys.ed25519).replace('MC4', 'MC5') }, 'unusable_key'],
    },
  },
  Huawei: {
    platform: Platform.Huawei,
    base: { huawei_app_id: 'id', huawei_app_secret: 'secret' },
    read: reading(hms),
    works: ({ appId, appSecret }: { appId: string; appSecret: string }) => isGranted(appId, appSecret),
    ...clientForms('huawei_app_id', 'huawei_app_secret'),
  },
  Amazon: {
    platform: Platform.Amazon,
    base: { adm_cid: 'id', adm_secret: 'secret', adm_framework: 'native' },
    read: reading(adm),
    works: ({ clientId, clientSecret }: { clientId: string; clientSecret: string }) =>
      isGranted(clientId, clientSecret),
    ...clientForms('adm_cid', 'adm_secret'),
  },
  Windows: {
    platform: Platform.Windows,
    base: { wns_psid: 'ms-app://id', wns_secret: 'secret' },
    fields: ['wns_secret'],
    read: reading(wns),
    works: ({ sid, secret }: { sid: string; secret: string }) => isGranted(sid.slice('ms-app://'.length), secret),
    accepted: { text: {} },
    refused: { 'an empty secret': [{ wns_secret: '' }, 'not_configured'] },
  },
  'SMS by SMPP': {
    platform: Platform.Sms,
    base: { sms_smpp_host: 'smpp.example', sms_smpp_port: 2775, sms_system_id: 'id', sms_sender: 'Shop' },
    fields: ['sms_password'],
    read: reading(sms),
    works: ({ password }: { password: string }) => Buffer.from(password, 'latin1').toString('latin1') === password,
    accepted: {
      ASCII: { sms_password: 'secret' },
      'Latin-1': { sms_password: 'geheimé' },
      nothing: { sms_password: '' },
    },
    refused: {
      'text beyond Latin-1': [{ sms_password: 'секрет' }, 'unusable_setting'],
      'text with a zero': [{ sms_password: 'a\0b' }, 'unusable_setting'],
    },
  },
  'SMS by HTTP': {
    platform: Platform.Sms,
    base: { sms_http_url: 'https://sms.example', sms_http_account: 'id', sms_sender: 'Shop' },
    fields: ['sms_http_token'],
    read: reading(sms),
    works: ({ token }: { token: string }) => token === 'secret',
    accepted: { text: { sms_http_token: 'secret' } },
    refused: {},
  },
  WhatsApp: {
    platform: Platform.WhatsApp,
    base: { whats_app_phone_number_id: '1' },
    fields: ['whats_app_access_token'],
    read: reading(whatsapp),
    works: ({ accessToken }: { accessToken: string }) => isWritten(accessToken),
    ...headerForms('whats_app_access_token'),
  },
  LINE: {
    platform: Platform.Line,
    base: {},
    fields: ['line_channel_access_token'],
    read: reading(line),
    works: ({ accessToken }: { accessToken: string }) => isWritten(accessToken),
    ...headerForms('line_channel_access_token'),
  },
  Kakao: {
    platform: Platform.Kakao,
    base: { kakao_sender_key: 'key', kakao_app_key: 'key' },
    fields: ['kakao_secret_key', 'kakao_sender_key', 'kakao_app_key'],
    read: reading(kakao),
    works: ({ secretKey }: { secretKey: string }) => isWritten(secretKey),
    ...headerForms('kakao_secret_key'),
  },
};

/** Receipts are checked by the gateway. */
const ofGateway = ['whats_app_app_secret', 'whats_app_verify_token'];

const stored = ({ platform, base }: Subject, fields: Fields) => {
  const request = { auth: 'token', application: 'A1B2C-3D4E5', device_type: platform, ...base, ...fields };
  return api.configureApplication.parse(request);
};

describe('every credential', () => {
  it('is among the tested ones', () => {
    const secrets = api.configureApplication.examples.flatMap(({ request }) => [
      ...api.configureApplication.parse(request).secrets,
    ]);
    const fields = Object.values(subjects).flatMap((each) => each.fields);
    expect(fields).toEqual(expect.arrayContaining(secrets.filter((name) => !ofGateway.includes(name))));
  });

  const accepted = Object.entries(subjects).flatMap(([name, subject]) =>
    Object.entries(subject.accepted).map(([form, fields]) => ({ name, form, subject, fields })),
  );
  it.each(accepted)('is used: $name as $form', async ({ subject, fields }) => {
    const { settings } = stored(subject, fields);
    const credential = await subject.read(subject.platform, new Map(Object.entries(settings)));
    expect(credential).not.toHaveProperty('category');
    expect(await subject.works(credential as never)).toBe(true);
  });

  const refused = Object.entries(subjects).flatMap(([name, subject]) =>
    Object.entries(subject.refused).map(([form, [fields, fault]]) => ({ name, form, subject, fields, fault })),
  );
  it.each(refused)('has a sentence for its fault: $name, $form', async ({ subject, fields, fault }) => {
    const { settings } = stored(subject, fields);
    const result = (await subject.read(subject.platform, new Map(Object.entries(settings)))) as SendResult;
    expect(result).toMatchObject({ category: 'INVALID_CONFIGURATION', code: '0', name: fault });
    expect(credentialFaults[fault].sentence).toMatch(/^[A-Z].*\.$/);
  });
});
