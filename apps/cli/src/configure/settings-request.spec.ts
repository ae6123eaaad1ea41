import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { platforms } from './platform-fields.ts';
import { settingsRequest } from './settings-request.ts';

const account = { type: 'service_account', project_id: 'news', private_key: 'pem', client_email: 'a@b.example' };

describe('settings of a platform', () => {
  let folder: string;
  const file = (name: string) => join(folder, name);
  const request = (platform: string, ...given: readonly string[]) => {
    const [first, ...set] = given;
    return settingsRequest(platforms().get(platform)!, first ? { file: file(first), set } : { set });
  };
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tidings-configure-'));
    const files = {
      'AuthKey_ABC123DEFG.p8': 'key',
      'account.json': JSON.stringify(account),
      'google-services.json': '{"project_info":{}}',
      'broken.json': '{',
      token: 'secret\n',
    };
    for (const [name, text] of Object.entries(files)) await writeFile(file(name), text);
  });
  afterAll(() => rm(folder, { recursive: true }));

  it('take the key of APNs, and its identifier from the name of the file', async () => {
    expect(await request('ios', 'AuthKey_ABC123DEFG.p8', 'team-id=DEF123GHIJ', 'bundle-id=com.example.news')).toEqual({
      ios_key_management_type: 'manual',
      ios_key_file: 'a2V5',
      ios_key_password: '',
      ios_gateway: '1',
      ios_framework: 'native',
      ios_key_id: 'ABC123DEFG',
      ios_team_id: 'DEF123GHIJ',
      ios_bundle_id: 'com.example.news',
    });
  });

  it('take the service account of Firebase', async () => {
    expect(await request('android', 'account.json')).toEqual({
      android_framework: 'native',
      android_fcm_service_account: account,
    });
  });

  it('take lists and the text of files', async () => {
    expect(await request('line', '', `channel-access-token=@${file('token')}`)).toEqual({
      line_channel_access_token: 'secret',
    });
    const safari = ['url-template=https://a.example/%@', 'allowed-domains=https://a.example,https://b.example'];
    expect(await request('safari', 'AuthKey_ABC123DEFG.p8', ...safari)).toMatchObject({
      safari_allowed_domains: ['https://a.example', 'https://b.example'],
    });
  });

  it.each([
    ['android', ['missing.json'], /missing\.json cannot be read: there is no such file/],
    ['android', ['broken.json'], /broken\.json is not JSON\. Firebase makes/],
    ['android', ['google-services.json'], /is not the key of a service account/],
    ['android', [], /android needs --file: Firebase service account/],
    ['chrome', ['account.json'], /chrome needs --set vapid-key=…: Public VAPID key/],
    ['windows', ['token'], /windows has no file: use --set psid=…/],
    ['ios', ['AuthKey_ABC123DEFG.p8', 'team=x'], /ios has no setting 'team' .* It has key-management-type, key-file/],
    ['ios', ['AuthKey_ABC123DEFG.p8', 'team-id'], /ios has no setting 'team-id' in the form name=value/],
  ] as const)('of %s are refused with %j', async (platform, given, message) => {
    await expect(request(platform, ...given)).rejects.toThrow(message);
  });

  it('exist for every platform that receives messages', () => {
    expect([...platforms()].map(([name, { settings }]) => `${name}: ${[...settings.keys()].join(' ')}`)).toEqual([
      'ios: key-management-type key-file key-password gateway framework bundle-id key-id team-id',
      'android: framework fcm-service-account',
      'macos: key-management-type cert-file key-file key-password gateway bundle-id key-id team-id',
      'windows: psid secret',
      'amazon: cid secret framework',
      'safari: key-management-type website-name allowed-domains url-template icon-file key-file key-password',
      'chrome: fcm-service-account vapid-key vapid-private-key',
      'firefox: is-enabled fcm-service-account vapid-key vapid-private-key',
      'email: from-email from-name reply from-address dkim-domain dkim-selector dkim-private-key',
      'huawei: id secret',
      'sms: smpp-host smpp-port system-id password http-url http-account http-token sender',
      'whatsapp: phone-number-id access-token app-secret verify-token',
      'kakao: sender-key app-key secret-key',
      'line: channel-access-token',
    ]);
  });
});
