import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ApiClient } from '@tidings/client';
import { retryUntilAnswered, platform, type PlatformWorld } from '@tidings/testing';
import { applicationFileFeatures } from './application-files.features.ts';

const FORBID = 'Token restrictions forbid this operation';
const DENIED = 'Access denied or application not found';
/** A picture with ignored bytes appended. */
const LARGEST_ICON = Buffer.concat(
  [
    Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=',
      'base64',
    ),
  ],
  200 * 1024,
);

let world: PlatformWorld;
let application: string;

beforeAll(async () => {
  world = await platform();
  application = await world.application({ title: 'First' });
});
afterAll(() => world?.stop());

const refused = (status_message: string) => ({
  status: 200,
  body: { status_code: 210, status_message, response: null },
});
const forbidden = { status: 403, body: { status_code: 403, status_message: FORBID, response: null } };
const fault = (status: number, kind: string, message: string) => ({ status, body: { error: { kind, message } } });

async function clientWith(token: Readonly<Record<string, unknown>>) {
  const issued = await world.call('createToken', { scope: 'api', ...token });
  const opened = new ApiClient(world.url, { admin: world.secrets.admin, api: issued.token, device: '' }, 4);
  closers.push(() => opened.close());
  return { ...issued, client: opened };
}
const closers: (() => void)[] = [];
afterAll(() => closers.forEach((close) => close()));

describe('updateApplication (R-B2)', () => {
  it('changes the given fields, and an icon is served', async () => {
    const code = await world.application({ title: 'Old', ios: false, android: false });
    expect(
      await world.call('updateApplication', { application: code, title: 'New', icon: LARGEST_ICON.toString('base64') }),
    ).toBeNull();
    await world.call('updateApplication', { application: code, title: null, sdk_ios: 'corona' });
    const { application: shown } = await world.call('getApplication', { application: code });
    expect(shown).toMatchObject({ title: 'New', ios_sdk: 'corona', android_sdk: 'pw' });
    const icon = await fetch(new URL(new URL(shown.icon_url!).pathname, world.url));
    expect(Buffer.from(await icon.arrayBuffer()).equals(LARGEST_ICON)).toBe(true);
    const larger = Buffer.concat([LARGEST_ICON, Buffer.alloc(1)]).toString('base64');
    const tooLarge = refused('icon: must be a PNG of at most 200 KiB');
    expect(await world.reply('updateApplication', { application: code, icon: larger })).toMatchObject(tooLarge);
    expect(await world.reply('createApplication', { title: 'Large', icon: larger })).toMatchObject(tooLarge);
    expect(await world.reply('updateApplication', { application: code, title: '' })).toMatchObject(
      refused('title: must be 1 to 255 characters'),
    );
    expect(await world.reply('updateApplication', { application: code, sdk_android: 'x' })).toMatchObject(
      refused('sdk_android: must be one of pw, corona, phonegap'),
    );
  });
});

describe('configureApplication', () => {
  const account = { type: 'service_account', project_id: 'p', private_key: 'k', client_email: 'c@example.com' };

  it.each([
    [7, 'osx', { macos_key_management_type: 'manual', macos_gateway: 1 }],
    [8, 'windows', { wns_psid: 'ms-app://s-1', wns_secret: 's' }],
    [9, 'amazon', { adm_cid: 'cid', adm_secret: 'secret', adm_framework: 'native' }],
    [
      10,
      'safari',
      { safari_key_management_type: 'manual', safari_url_template: 'https://%@', safari_key_file: 'MIIB' },
    ],
    [11, 'chrome', { chrome_fcm_service_account: account, chrome_vapid_key: 'a-_w', chrome_vapid_private_key: 'Zm9v' }],
    [
      12,
      'firefox',
      { firefox_fcm_service_account: account, firefox_vapid_key: 'a-_w', firefox_vapid_private_key: 'Zm9v' },
    ],
    [14, 'email', { email_from_email: 'a@example.com', email_from_name: 'A', email_reply: 'b@example.com' }],
    [17, 'huawei_android', { huawei_app_id: '1', huawei_app_secret: 's' }],
    [18, 'sms', { sms_smpp_host: 'h', sms_smpp_port: 2775, sms_system_id: 'i', sms_password: 'p', sms_sender: 's' }],
    [21, 'whats_app', { whats_app_phone_number_id: '1', whats_app_access_token: 't' }],
    [22, undefined, { kakao_sender_key: 'k', kakao_app_key: 'a', kakao_secret_key: 's' }],
    [23, undefined, { line_channel_access_token: 't' }],
  ])('stores platform %i (%s)', async (device_type, flag, settings) => {
    const code = await world.application({ ios: false, android: false });
    const { providers } = await world.call('configureApplication', { application: code, device_type, ...settings });
    const on = Object.entries(providers).flatMap(([name, isOn]) => (isOn ? [name] : []));
    expect(on).toEqual(
      [flag, [10, 11, 12].includes(device_type) ? 'web' : undefined].filter((name) => name !== undefined),
    );
  });

  it('leaves Firefox disabled on request', async () => {
    const code = await world.application({ ios: false, android: false });
    const settings = { firefox_fcm_service_account: account, firefox_vapid_key: 'aa', firefox_vapid_private_key: 'aa' };
    const configure = { application: code, device_type: 12, firefox_is_enabled: false, ...settings };
    expect((await world.call('configureApplication', configure)).providers).toMatchObject({
      firefox: false,
      web: false,
    });
    await world.call('setApplicationPlatformStatus', { application: code, platform: 12, status: 'enable' });
    expect(
      (
        await world.call('configureApplication', {
          ...configure,
          device_type: 7,
          macos_key_management_type: 'manual',
          macos_gateway: 0,
        })
      ).providers,
    ).toMatchObject({ firefox: true, osx: true });
  });

  it('includes the key for browsers in the very next reply (R-X1)', async () => {
    const code = await world.application({ ios: false, android: false });
    const keyOf = async () => (await world.call('getConfig', { application: code })).features.vapid_key;
    const configure = (device_type: number, settings: object) =>
      world.call('configureApplication', { application: code, device_type, ...settings });
    expect(await keyOf()).toBeUndefined();
    const firefox = { firefox_vapid_key: 'Zm9v', firefox_vapid_private_key: 'Zm9v' };
    await configure(12, { firefox_fcm_service_account: account, ...firefox });
    expect(await keyOf()).toBe('Zm9v');
    const chrome = { chrome_vapid_key: 'a-_w', chrome_vapid_private_key: 'Zm9v' };
    await configure(11, { chrome_fcm_service_account: account, ...chrome });
    expect(await keyOf()).toBe('a-_w');
  });

  it('shows credentials in encoded form only (R-RES19)', async () => {
    const code = await world.application({ ios: false, android: false });
    const amazon = { device_type: 9, adm_cid: 'planted-cid', adm_secret: 'planted-secret', adm_framework: 'native' };
    await world.call('configureApplication', { application: code, ...amazon });
    const { application: shown } = await world.call('getApplication', { application: code });
    const encoded = expect.stringMatching(/^x[0-9a-f]{32}$/) as unknown;
    expect(shown).toMatchObject({ adm_cid: encoded, adm_secret: encoded, providers: { adm: true } });
    expect(JSON.stringify(shown)).not.toContain('planted');
  });
});

describe('setApplicationPlatformStatus (R-S5, R-B5)', () => {
  it('enables and disables sending', async () => {
    const code = await world.application({ title: 'Switched', ios: false });
    await world.call('registerDevice', {
      application: code,
      hwid: 'switched',
      device_type: 3,
      push_token: 'accepted-switched',
    });
    await world.call('setDebug', { code });
    const send = async () => {
      const notifications = [{ content: 'x', devices: ['switched'] }];
      const { Messages } = await world.call('createMessage', { application: code, notifications });
      await world.settle();
      const funnel = JSON.stringify(await world.call('getDeliveryFunnel', { message_code: Messages[0]! }));
      return funnel.includes('PLATFORM_DISABLED') ? 'disabled' : 'sent';
    };
    const set = (status: string) =>
      world.call('setApplicationPlatformStatus', { application: code, platform: 3, status });
    expect(await send()).toBe('sent');
    expect(await set('disable')).toMatchObject({
      message: 'Android disabled',
      available_platforms: { Android: false },
    });
    expect((await world.call('getApplication', { application: code })).application.providers).toMatchObject({
      android: false,
    });
    expect(await send()).toBe('disabled');
    expect(await set('disable')).toMatchObject({ message: 'Android disabled' });
    expect(await set('enable')).toMatchObject({
      message: 'Android enabled',
      available_platforms: { Android: true, iOS: false },
    });
    expect(await send()).toBe('sent');
  });
});

describe('getApplications (R-B3)', () => {
  it('lists the applications of the token, oldest first, and pages of a hundred', async () => {
    const { account } = await world.call('createAccount', { name: 'Many' });
    const all = await clientWith({ applications: 'all', account });
    expect(await all.client.call('getApplications')).toEqual({ applications: {} });
    const codes: string[] = [];
    for (let i = 0; i < 100; i++) {
      codes.push((await all.client.call('createApplication', { title: `App ${i}` })).application);
    }
    const listed = await all.client.call('getApplications');
    expect(Object.entries(listed.applications)).toEqual(codes.map((code, i) => [code, `App ${i}`]));
    expect(listed).not.toHaveProperty('page');
    const own = await clientWith({ applications: [codes[3]], account });
    const { application: open } = await all.client.call('createApplication', {
      title: 'Open',
      authorize_all_tokens: true,
    });
    expect(await all.client.call('getApplications')).toMatchObject({ page: 1, total: 2 });
    expect(await all.client.call('getApplications', { page: '2' })).toEqual({
      applications: { [open]: 'Open' },
      page: 2,
      total: 2,
    });
    for (const page of [3, Number.MAX_SAFE_INTEGER]) {
      expect(await all.client.call('getApplications', { page })).toEqual({ applications: {}, page, total: 2 });
    }
    expect(await own.client.call('getApplications')).toEqual({
      applications: { [codes[3]!]: 'App 3', [open]: 'Open' },
    });
    await all.client.call('deleteApplication', { application: codes[3] });
    expect(await own.client.call('getApplications')).toEqual({ applications: { [open]: 'Open' } });
    expect(await all.client.call('getApplications')).not.toHaveProperty('total');
  });
});

applicationFileFeatures(() => world);

/** Each gateway caches a token for 3 s. */
async function refusedByAll<Reply extends { readonly body: unknown }>(call: () => Promise<Reply>): Promise<Reply> {
  for (let inARow = 1; ; inARow++) {
    const reply = await call();
    if ((reply.body as { readonly status_code: number }).status_code === 200) inARow = 0;
    else if (inARow === 2) return reply;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

describe('deleteApplication (R-B2)', () => {
  it('makes the code unknown at once, to every method and permanently', async () => {
    const code = await world.application({ title: 'Gone' });
    const { client } = await clientWith({ applications: [code] });
    const registration = { application: code, hwid: 'gone', device_type: 3, push_token: 'accepted-gone' };
    const register = () => world.reply('registerDevice', registration);
    // Keeps the code in every gateway's cache until the application is deleted.
    let isDeleted = false;
    const insist = async () => {
      while (!isDeleted) await register();
    };
    const insisting = Array.from({ length: 4 }, insist);
    try {
      expect(await world.call('deleteApplication', { application: code })).toBeNull();
      const replies = await Promise.all(Array.from({ length: 16 }, register));
      for (const reply of replies) expect(reply).toMatchObject(refused(DENIED));
    } finally {
      isDeleted = true;
      await Promise.all(insisting);
    }
    for (const name of ['getApplication', 'deleteApplication'] as const) {
      expect(await world.reply(name, { application: code })).toMatchObject(refused(DENIED));
    }
    expect(await client.reply('getApplication', { application: code })).toMatchObject(refused(DENIED));
    const notifications = [{ content: 'x', devices: ['gone'] }];
    expect(await world.reply('createMessage', { application: code, notifications })).toMatchObject({
      body: { status_code: 210, status_message: DENIED },
    });
    expect(await world.reply('setDebug', { code })).toMatchObject(fault(404, 'notFound', 'Application not found'));
    expect((await world.call('getApplications')).applications).not.toHaveProperty(code);
  });

  it('deletes the objects of the application in the account, so that the names of its segments are free', async () => {
    const code = await world.application({ title: 'Full' });
    const segment = { name: 'Of the application', filter_expression: `A("${code}")` };
    await world.call('createFilter', { ...segment, application: code });
    const { campaign } = await world.call('createCampaign', { application: code, name: 'c' });
    await world.call('createPreset', {
      name: 'p',
      applicationCode: code,
      campaignCode: campaign,
      content: { message: 'x' },
      segmentation: { platforms: [3], filter: segment.name },
    });
    const { GeoZoneCluster: cluster } = await world.call('addGeoZoneCluster', {
      application: code,
      name: 'g',
      cooldown: 1,
    });
    const geozones = Array.from({ length: 101 }, (_, i) => ({
      name: `z${i}`,
      lat: 1,
      lng: 1,
      cooldown: 1,
      range: 50,
      content: 'x',
      cluster,
    }));
    await world.call('addGeoZone', { application: code, geozones });
    await world.call('createTestDevice', { application: code, push_token: 'test-token', device_type: 3, name: 't' });
    await world.call('deleteApplication', { application: code });
    await world.settle();
    const bound = { name: segment.name, filter_expression: 'T("City", EQ, "x")', application };
    expect(await retryUntilAnswered(() => world.call('createFilter', bound))).toEqual({ name: segment.name });
    await world.call('deleteFilter', { name: segment.name });
  });
});

describe('tokens (R-T1, R-T2, R-T8)', () => {
  it('rotate: two are valid at once, and the old one ends when it is revoked', async () => {
    const [old, young] = [
      await clientWith({ applications: [application] }),
      await clientWith({ applications: [application] }),
    ];
    for (const { client } of [old, young]) expect(await client.call('listTags')).toHaveProperty('tags');
    expect((await world.reply('deleteToken', { id: old.id })).status).toBe(204);
    expect(await world.reply('deleteToken', { id: old.id })).toMatchObject(fault(404, 'notFound', 'Token not found'));
    expect(await refusedByAll(() => old.client.reply('listTags'))).toMatchObject(forbidden);
    expect(await young.client.call('listTags')).toHaveProperty('tags');
    const ids = (await world.call('listTokens')).tokens.map(({ id }) => id);
    expect(ids).toContain(young.id);
    expect(ids).not.toContain(old.id);
  });

  it('are granted some applications, and those that they create', async () => {
    const { client } = await clientWith({ applications: [application] });
    const sibling = await world.application({ title: 'Sibling', ios: false, android: false });
    expect(await client.call('getApplication', { application })).toBeDefined();
    expect(await client.reply('getApplication', { application: sibling })).toMatchObject(forbidden);
    const { application: made } = await client.call('createApplication', { title: 'Own' });
    expect(await client.call('getApplication', { application: made })).toBeDefined();
    const { application: open } = await world.call('createApplication', { title: 'Open', authorize_all_tokens: true });
    expect(await client.call('updateApplication', { application: open, title: 'Opened' })).toBeNull();
  });

  it('expire at the time set by the operator', async () => {
    const at = (date: Date) => date.toISOString().slice(0, 19) + 'Z';
    const soon = at(new Date(world.simulators.clock.now() + 3600_000));
    const { id, client } = await clientWith({ applications: 'all', expires_at: soon });
    expect(await client.call('listTags')).toHaveProperty('tags');
    expect((await world.call('listTokens')).tokens.find((token) => token.id === id)).toMatchObject({
      expires_at: soon,
    });
    expect(await world.call('getToken', { id })).toMatchObject({ id, expires_at: soon });
    await world.advance(3600);
    expect(await client.reply('listTags')).toMatchObject(forbidden);
    expect(await world.reply('getToken', { id })).toMatchObject(fault(404, 'notFound', 'Token not found'));
    expect(
      await world.reply('createToken', { scope: 'api', applications: 'all', expires_at: at(new Date(0)) }),
    ).toMatchObject(fault(400, 'argument', 'expires_at: must be in the future'));
  });
});

describe('operator settings (R-T8)', () => {
  it('are stored for applications', async () => {
    expect(await world.call('setControlGroup', { code: application, percentage: '12.5' })).toEqual({
      percentage: 12.5,
    });
    expect(await world.call('setControlGroup', { code: application, percentage: 0 })).toEqual({ percentage: 0 });
    expect(await world.call('setCapping', { code: application, days: 7, count: 3 })).toEqual({ days: 7, count: 3 });
    for (const on of [true, false]) {
      expect(await world.call('setAtMostOnce', { code: application, on })).toEqual({ on });
    }
    expect(await world.call('getApplicationSettings', { code: application })).toMatchObject({
      application,
      control_group: { percentage: 0, default: true },
      capping: { days: 7, count: 3, default: false },
    });
    expect(await world.reply('setCapping', { code: application, days: 31, count: 3 })).toMatchObject(
      fault(400, 'argument', 'days: must be 1 to 30'),
    );
    expect(await world.reply('setControlGroup', { code: 'AAAAA-AAAAA', percentage: 1 })).toMatchObject(
      fault(404, 'notFound', 'Application not found'),
    );
  });

  it('remove the rows by device from funnels, and restore them (R-H18)', async () => {
    const code = await world.application({ title: 'Tracked', ios: false });
    await world.call('registerDevice', { application: code, hwid: 't', device_type: 3, push_token: 'accepted-t' });
    await world.call('setDebug', { code });
    const notifications = [{ content: 'x', devices: ['t'] }];
    const { Messages: messages } = await world.call('createMessage', { application: code, notifications });
    await world.settle();
    const formOf = async (): Promise<string> => {
      const { channels } = await world.call('getDeliveryFunnel', { message_code: messages[0]! });
      return `${channels[0]!.deliveries_form} ${channels[0]!.basic_form_reason}`;
    };
    const perDevice = 'DELIVERIES_FORM_PER_DEVICE BASIC_FORM_REASON_UNSPECIFIED';
    expect(await formOf()).toBe(perDevice);
    expect(await world.call('setTracking', { code, on: false })).toEqual({ on: false });
    expect(await formOf()).toBe('DELIVERIES_FORM_BASIC BASIC_FORM_REASON_UNAVAILABLE');
    expect(await world.call('setTracking', { code, on: 'true' })).toEqual({ on: true });
    expect(await formOf()).toBe(perDevice);
    expect(await world.reply('setTracking', { code })).toMatchObject(fault(400, 'argument', 'on is required'));
    expect(await world.reply('setTracking', { code: 'AAAAA-AAAAA', on: true })).toMatchObject(
      fault(404, 'notFound', 'Application not found'),
    );
  });

  it('approve presets without a change of their place in the list (R-E7)', async () => {
    const create = (name: string) =>
      world.call('createPreset', {
        name,
        applicationCode: application,
        content: { message: 'Hi' },
        segmentation: { platforms: [3] },
      });
    for (const name of ['First', 'Second', 'Third']) await create(name);
    const { presets } = await world.call('listPresets', { application });
    const { code } = presets.find(({ name }) => name === 'First')!;
    expect(await world.call('getPresetApproval', { code })).toEqual({ approved: true });
    expect(await world.call('setPresetApproval', { code: code.toLowerCase(), approved: false })).toEqual({
      approved: false,
    });
    expect(await world.call('getPresetApproval', { code })).toEqual({ approved: false });
    expect((await world.call('listPresets', { application })).presets).toEqual(presets);
    expect(await world.call('setPresetApproval', { code, approved: 1 })).toEqual({ approved: true });
    expect(await world.reply('setPresetApproval', { code })).toMatchObject(
      fault(400, 'argument', 'approved is required'),
    );
    await world.call('deletePreset', { preset_code: code });
    const gone = fault(404, 'notFound', 'Preset not found');
    expect(await world.reply('setPresetApproval', { code, approved: true })).toMatchObject(gone);
    expect(await world.reply('getPresetApproval', { code })).toMatchObject(gone);
  });

  it('exclude the control group from marketing (R-E15)', async () => {
    const code = await world.application({ title: 'Controlled', ios: false });
    await world.call('setControlGroup', { code, percentage: 100 });
    await world.call('registerDevice', { application: code, hwid: 'c', device_type: 3, push_token: 'accepted-c' });
    await world.call('setDebug', { code });
    const notifications = [{ content: 'x', devices: ['c'] }];
    const { Messages } = await world.call('createMessage', { application: code, notifications });
    await world.settle();
    const funnel = JSON.stringify(await world.call('getDeliveryFunnel', { message_code: Messages[0]! }));
    expect(funnel).toContain('"category":"CONTROL_GROUP","count":"1"');
  });

  it('are stored for accounts', async () => {
    const { account } = await world.call('createAccount', { name: 'Set' });
    expect(await world.call('setCategories', { account, categories: ['News', 'Offers'] })).toEqual({
      categories: ['News', 'Offers'],
    });
    expect(await world.reply('setCategories', { account: 'nobody', categories: [] })).toMatchObject(
      fault(404, 'notFound', 'Account not found'),
    );
    const foreign = await clientWith({ applications: 'all', account });
    const { application: other } = await foreign.client.call('createApplication', { title: 'Other' });
    const { code } = await world.call('createGroup', { name: 'G', applications: [application] });
    expect(code).toMatch(/^[0-9A-F]{5}-[0-9A-F]{5}$/);
    await world.call('createGroup', { name: 'Later', applications: [application] });
    const { next: after } = await world.call('listGroups', { limit: 1 });
    const { groups } = await world.call('listGroups', { limit: 1, after });
    expect(groups).toMatchObject([{ code, name: 'G', applications: [application] }]);
    expect((await world.call('listAccounts')).accounts).toContainEqual(
      expect.objectContaining({ account, name: 'Set', email_only: false }),
    );
    expect(await world.reply('listAccounts', { after: 'x' })).toMatchObject(
      fault(400, 'argument', 'after: must be `next` of a page'),
    );
    expect(await world.reply('createGroup', { name: 'G', applications: [application, other] })).toMatchObject(
      fault(400, 'argument', DENIED),
    );
  });
});
