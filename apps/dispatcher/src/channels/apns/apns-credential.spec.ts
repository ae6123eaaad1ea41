import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { definitions, readCredential } from '@tidings/channels';
import { Platform } from '@tidings/kernel';
import { pushCertificate } from '@tidings/testing';
import { generateApnsKey, selfSigned } from '../../testing/test-simulators.ts';
import { keyOpener } from '../prepared.ts';

const { privateKey } = generateApnsKey();
const { cert, key } = selfSigned();
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const complete = {
  ios_key_file: base64(privateKey),
  ios_key_password: '',
  ios_gateway: '1',
  ios_bundle_id: 'com.example',
  ios_key_id: 'K',
  ios_team_id: 'T',
};
const of = (settings: Readonly<Record<string, string>>, platform: number = Platform.iOS) =>
  readCredential(definitions.apns.credential, { platform, settings: new Map(Object.entries(settings)) }, keyOpener);

describe('an APNs credential', () => {
  it('is a key that signs tokens', async () => {
    expect(await of(complete)).toMatchObject({
      bundleId: 'com.example',
      sandbox: false,
      proof: { by: 'token', keyId: 'K', teamId: 'T' },
    });
  });

  it('is a certificate with its key', async () => {
    const settings = { ios_key_file: base64(cert + key), ios_bundle_id: 'com.example', ios_gateway: '0' };
    expect(await of(settings)).toMatchObject({ bundleId: 'com.example', sandbox: true, proof: { by: 'certificate' } });
  });

  it.each([
    ['in one file', { macos_key_file: base64(cert + key) }],
    ['in two', { macos_cert_file: base64(cert), macos_key_file: base64(key) }],
  ])('is a certificate with its key for macOS, %s', async (_, files) => {
    const settings = { ...files, macos_gateway: '0', macos_bundle_id: 'com.example.mac' };
    expect(await of(settings, Platform.MacOS)).toMatchObject({
      bundleId: 'com.example.mac',
      sandbox: true,
      proof: { by: 'certificate', tls: { cert: expect.stringContaining('CERTIFICATE'), key } },
    });
  });

  it('may be a key that signs tokens for macOS', async () => {
    const file = { macos_key_file: base64(privateKey), macos_gateway: '1' };
    const ids = { macos_bundle_id: 'com.example.mac', macos_key_id: 'K', macos_team_id: 'T' };
    expect(await of({ ...file, ...ids }, Platform.MacOS)).toMatchObject({
      bundleId: 'com.example.mac',
      sandbox: false,
      proof: { by: 'token', keyId: 'K', teamId: 'T' },
    });
    expect(await of(file, Platform.MacOS)).toMatchObject({ name: 'not_configured' });
  });

  it.each([
    ['without a file', {}, 'not_configured'],
    ['with a certificate alone', { macos_cert_file: base64(cert) }, 'missing_key'],
    [
      'with the key of another certificate',
      { macos_cert_file: base64(cert), macos_key_file: base64(privateKey) },
      'mismatched_key',
    ],
  ])('is incomplete for macOS %s', async (_, files, name) => {
    expect(await of({ ...files, macos_gateway: '1', macos_bundle_id: 'b' }, Platform.MacOS)).toMatchObject({ name });
  });

  it.each([
    ['user id', 'Example', 'web.com.example'],
    ['name', 'Website Push ID: web.com.example', undefined],
  ])('is a certificate for Safari, whose %s has the push id of the website', async (_, name, uid) => {
    const own = pushCertificate(name, uid === undefined ? {} : { uid });
    const settings = { safari_key_file: own.p12, safari_key_password: '' };
    expect(await of(settings, Platform.Safari)).toMatchObject({
      bundleId: 'web.com.example',
      sandbox: false,
      proof: { by: 'certificate', tls: { key: own.key } },
    });
  });

  it('is no key that signs tokens for Safari, and no certificate of another kind', async () => {
    expect(await of({ safari_key_file: base64(privateKey) }, Platform.Safari)).toMatchObject({
      name: 'missing_certificate',
    });
    const other = { safari_key_file: base64(cert + key) };
    expect(await of(other, Platform.Safari)).toMatchObject({ name: 'not_configured' });
    expect(await of({}, Platform.Safari)).toMatchObject({ name: 'not_configured' });
  });

  it.each(['ios_bundle_id', 'ios_key_id', 'ios_team_id', 'ios_key_file'])('is incomplete without %s', async (name) => {
    expect(await of({ ...complete, [name]: '' })).toMatchObject({
      category: 'INVALID_CONFIGURATION',
      name: 'not_configured',
    });
  });

  it.each([
    ['no key at all', 'anything', 'unusable_key'],
    ['a broken key', '-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----', 'unusable_key'],
    [
      'a key of another kind',
      generateKeyPairSync('rsa', { modulusLength: 2048 })
        .privateKey.export({ type: 'pkcs8', format: 'pem' })
        .toString(),
      'unsupported_key',
    ],
    [
      'a key on a curve that APNs does not know',
      generateKeyPairSync('ec', { namedCurve: 'secp384r1' })
        .privateKey.export({ type: 'pkcs8', format: 'pem' })
        .toString(),
      'unsupported_key',
    ],
    [
      'a key of RSA with too few bits',
      generateKeyPairSync('rsa', { modulusLength: 1024 })
        .privateKey.export({ type: 'pkcs8', format: 'pem' })
        .toString(),
      'unsupported_key',
    ],
  ])('is unusable with %s', async (_, file, name) => {
    expect(await of({ ...complete, ios_key_file: base64(file) })).toMatchObject({
      category: 'INVALID_CONFIGURATION',
      name,
    });
  });
});
