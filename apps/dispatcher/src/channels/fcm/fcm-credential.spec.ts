import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { definitions, readCredential } from '@tidings/channels';
import { Platform } from '@tidings/kernel';
import { keyOpener } from '../prepared.ts';

const pem = (key: KeyObject): string => key.export({ type: 'pkcs8', format: 'pem' }).toString();
const rsa = (modulusLength: number): string => pem(generateKeyPairSync('rsa', { modulusLength }).privateKey);
const of = (private_key: string) => {
  const account = { project_id: 'p', client_email: 'a@p.example', private_key };
  const settings = new Map([['android_fcm_service_account', JSON.stringify(account)]]);
  return readCredential(definitions.fcm.credential, { platform: Platform.Android, settings }, keyOpener);
};

describe('an FCM credential', () => {
  it.each([2048, 4096])('signs with RSA of %i bits', async (bits) => {
    expect(await of(rsa(bits))).toMatchObject({ projectId: 'p', account: { clientEmail: 'a@p.example' } });
  });

  it.each([
    ['RSA with too few bits', rsa(1024), 'unsupported_key'],
    [
      'a key of another kind',
      pem(generateKeyPairSync('ec', { namedCurve: 'prime256v1' }).privateKey),
      'unsupported_key',
    ],
    [
      'a text of a megabyte',
      `-----BEGIN PRIVATE KEY-----\n${'A'.repeat(1_000_000)}\n-----END PRIVATE KEY-----\n`,
      'key_file_limits',
    ],
    ['nothing', '', 'missing_key'],
  ])('is unusable with %s', async (_, key, name) => {
    expect(await of(key)).toMatchObject({ category: 'INVALID_CONFIGURATION', name });
  });
});
