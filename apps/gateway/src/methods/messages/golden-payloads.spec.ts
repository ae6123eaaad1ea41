import { createSecretKey } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { ALERT, definitionOf, wnsHeaders } from '@tidings/channels';
import { api } from '@tidings/contract';
import { Platform } from '@tidings/kernel';
import { messageKeyOf, PayloadWriter } from '@tidings/messaging';
import { openApiOf } from '../../openapi/openapi-document.ts';
import { completeContent } from '@tidings/testing/acceptance';
import { messageRequest } from './message-request.ts';

type Json = Readonly<Record<string, unknown>>;

const COMPUTED_BADGE = 7;
const identity = { code: 'AF0B-EEFE4D5E-E445B2E9', messageId: 7n, campaignId: 0n };
const key = messageKeyOf(createSecretKey(new Uint8Array(32).fill(5)), 'AAAAA-00000', identity);

const ENTRY = { order: 77n, removal: 1_767_225_601n };

const contentOfRequest = (notification: Json) => {
  const { notifications } = api.createMessage.parse({ application: 'AAAAA-00000', notifications: [notification] });
  return completeContent(messageRequest(notifications[0]!, {}));
};

function outgoingOf(platform: number, notification: Json) {
  const { code: message, ...ids } = identity;
  const content = contentOfRequest(notification);
  return {
    message,
    bucket: 0,
    ...ids,
    platform,
    variant: ALERT,
    applicationTitle: 'Example',
    content,
    entry: content.inbox && ENTRY,
  };
}

function bodyOf(platform: number, notification: Json): string {
  const { payload, limit } = definitionOf(platform)!.compile(outgoingOf(platform, notification), '', key);
  const columns = {
    chunk: 0,
    positions: Uint16Array.of(1),
    platform,
    checks: new Uint8Array(3),
    tags: 0,
    tokens: Buffer.from('t'),
    tokenEnds: Uint32Array.of(1),
    values: new Uint8Array(),
    valueEnds: new Uint32Array(),
    badges: Int32Array.of(COMPUTED_BADGE),
  };
  return new PayloadWriter().write(payload, columns, 0, limit).toString();
}

const payloadOf = (platform: number, notification: Json): Json => JSON.parse(bodyOf(platform, notification)) as Json;

const appleOf = (platform: number, notification: Json): Json => {
  const { p: _hash, ...payload } = payloadOf(platform, notification);
  return payload;
};
const iosOf = (notification: Json): Json => appleOf(Platform.iOS, notification);
const androidOf = (notification: Json): Json => {
  const { message } = payloadOf(Platform.Android, notification) as { message: { android: Json; data: Json } };
  const { p: _hash, ...data } = message.data;
  return { ...message.android, ...data };
};

const huaweiOf = (notification: Json): Json => {
  const { message } = payloadOf(Platform.Huawei, notification) as { message: { android: Json; data: string } };
  const { p: _hash, ...data } = JSON.parse(message.data) as Json;
  return { ...message.android, ...data };
};

const amazonOf = (notification: Json): Json => {
  const { data: all, consolidationKey: _key, ...request } = payloadOf(Platform.Amazon, notification);
  const { p: _hash, ...fields } = all as Json;
  return { ...request, ...fields };
};

function browserOf(platform: number, notification: Json): Json {
  const { p: _hash, ...payload } = payloadOf(platform, notification);
  return payload;
}

function windowsOf(notification: Json): Json {
  const headers = wnsHeaders(outgoingOf(Platform.Windows, notification), '');
  const pairs = headers.flatMap((name, i): [string, unknown][] => (i % 2 === 0 ? [[name, headers[i + 1]]] : []));
  const body = bodyOf(Platform.Windows, notification).replace(/,?&quot;p&quot;:&quot;[^&]*&quot;/, '');
  return { ...Object.fromEntries(pairs), body };
}

const plainIos = { aps: { alert: 'Text', sound: 'default' }, pw_msg: '1' };
const aps = (fields: Json) => ({ ...plainIos, aps: { ...plainIos.aps, ...fields } });
const { aps: _aps, ...bareIos } = plainIos;
const plainAndroid = { title: 'Text', pw_msg: '1', pw_msg_tag: 'AF0B-EEFE4D5E-E445B2E9' };
const data = (fields: Json) => ({ ...plainAndroid, ...fields });

/** A field of section I, its value, and the whole payload of the text "Text" with it. */
type Row = readonly [field: string, value: unknown, payload: Json];

const iosRows: readonly Row[] = [
  ['ios_title', 'Title', aps({ alert: { title: 'Title', body: 'Text' } })],
  ['ios_subtitle', { default: 'Sub' }, aps({ alert: { subtitle: 'Sub', body: 'Text' } })],
  ['ios_content', 'Own', aps({ alert: 'Own' })],
  ['ios_badges', 5, aps({ badge: 5 })],
  ['ios_badges', '0', aps({ badge: 0 })],
  ['ios_badges', '+1', aps({ badge: COMPUTED_BADGE })],
  ['ios_badges', '-2', aps({ badge: COMPUTED_BADGE })],
  ['ios_sound', 'ding.caf', aps({ sound: 'ding.caf' })],
  ['ios_sound', '', { ...bareIos, aps: { alert: 'Text' } }],
  ['ios_sound_off', true, { ...bareIos, aps: { alert: 'Text' } }],
  // A header: `apns-expiration`.
  ['ios_ttl', 60, plainIos],
  ['ios_silent', 1, { ...bareIos, aps: { 'content-available': 1 } }],
  ['ios_silent', 0, plainIos],
  ['ios_category_id', 'OFFER', aps({ category: 'OFFER' })],
  ['ios_category_custom', 'OWN', aps({ category: 'OWN' })],
  ['ios_root_params', { aps: { badge: 9 }, a: [1] }, { ...aps({ badge: 9 }), a: [1] }],
  ['ios_attachment', 'https://a/1.png', { ...aps({ 'mutable-content': 1 }), attachment: 'https://a/1.png' }],
  ['ios_thread_id', 'thread', aps({ 'thread-id': 'thread' })],
  ['ios_critical', true, aps({ sound: { critical: 1, name: 'default', volume: 1 } })],
  ['ios_critical', false, plainIos],
  ...['passive', 'active', 'time-sensitive', 'critical'].map((level): Row => [
    'ios_interruption_level',
    level,
    aps({ 'interruption-level': level }),
  ]),
  ['apns_trim_content', 1, plainIos],
  ['ios_trim_content', 1, plainIos],
];

const macRows: readonly Row[] = [
  ['mac_badges', 5, aps({ badge: 5 })],
  ['mac_badges', '+1', aps({ badge: COMPUTED_BADGE })],
  ['mac_badges', '-2', aps({ badge: COMPUTED_BADGE })],
  ['mac_sound', 'Glass', aps({ sound: 'Glass' })],
  ['mac_sound', '', { ...bareIos, aps: { alert: 'Text' } }],
  ['mac_root_params', { aps: { 'thread-id': 't' }, a: [1] }, { ...aps({ 'thread-id': 't' }), a: [1] }],
  // A header, as on iOS.
  ['mac_ttl', 60, plainIos],
];

const androidRows: readonly Row[] = [
  ['android_header', 'Header', data({ header: 'Header' })],
  ['android_content', { default: 'Own' }, data({ title: 'Own' })],
  ['android_root_params', { a: { b: 1 }, n: 2 }, data({ a: '{"b":1}', n: '2' })],
  ['android_sound', 'ding', data({ s: 'ding' })],
  ['android_sound_off', true, data({ s: '' })],
  ['android_icon', 'icon', data({ i: 'icon' })],
  ['android_custom_icon', 'https://a/i.png', data({ ci: 'https://a/i.png' })],
  ['android_banner', 'https://a/b.png', data({ b: 'https://a/b.png' })],
  ['android_badges', '5', data({ pw_badges: '5' })],
  ['android_badges', '+1', data({ pw_badges: `${COMPUTED_BADGE}` })],
  ['android_badges', '-2', data({ pw_badges: `${COMPUTED_BADGE}` })],
  ['android_gcm_ttl', 60, data({ ttl: '60s' })],
  ['android_vibration', 1, data({ vib: '1' })],
  ['android_vibration', false, data({ vib: '0' })],
  ['android_led', 'FF8800', data({ led: '#FF8800' })],
  ['android_led', '#80FF8800', data({ led: '#80FF8800' })],
  ['android_priority', -2, data({ pri: '-2' })],
  ['android_delivery_priority', 'high', data({ priority: 'HIGH' })],
  ['android_delivery_priority', 'normal', data({ priority: 'NORMAL' })],
  ['android_ibc', '#112233', data({ ibc: '#112233' })],
  ['android_silent', 1, data({ silent: '1', pw_silent: '1' })],
  ['android_silent', 0, plainAndroid],
  ['android_group_id', 'group', data({ group_id: 'group' })],
];

const huaweiRows: readonly Row[] = [
  ...androidRows.map(([field, value, { priority: urgency, ...payload }]): Row => [
    `huawei_${field}`,
    value,
    { ...payload, ...(urgency === undefined ? {} : { urgency }) },
  ]),
  ['huawei_android_lockscreen', 1, data({ pw_lockscreen: '1' })],
  ['huawei_android_lockscreen', false, data({ pw_lockscreen: '0' })],
];

const amazonRows: readonly Row[] = [
  ['adm_header', { default: 'Header' }, data({ header: 'Header' })],
  ['adm_root_params', { a: { b: 1 }, n: 2 }, data({ a: '{"b":1}', n: '2' })],
  ['adm_sound', 'ding', data({ s: 'ding' })],
  ['adm_icon', 'icon', data({ i: 'icon' })],
  ['adm_custom_icon', 'https://a/i.png', data({ ci: 'https://a/i.png' })],
  ['adm_banner', 'https://a/b.png', data({ b: 'https://a/b.png' })],
  ['adm_ttl', 3600, data({ expiresAfter: 3600 })],
  ['adm_priority', 2, data({ pri: '2' })],
];

const plainBrowser = { body: 'Text', tag: 'AF0B-EEFE4D5E-E445B2E9' };
const browser = (fields: Json) => ({ ...plainBrowser, ...fields });

const chromeRows: readonly Row[] = [
  ['chrome_title', 'Title', browser({ header: 'Title' })],
  ['chrome_icon', 'https://a/i.png', browser({ i: 'https://a/i.png' })],
  // A header: `TTL`.
  ['chrome_gcm_ttl', 60, plainBrowser],
  ['chrome_duration', 20, browser({ duration: 20 })],
  ['chrome_duration', 0, browser({ duration: 0, requireInteraction: true })],
  ['chrome_image', 'https://a/b.png', browser({ image: 'https://a/b.png' })],
  ['chrome_button_text1', 'Yes', browser({ buttons: '[{"title":"Yes"}]' })],
  ['chrome_button_text2', 'No', browser({ buttons: '[{"title":"No"}]' })],
  ['chrome_button_url1', 'https://a/1', plainBrowser],
  ['chrome_button_url2', 'https://a/2', plainBrowser],
];

const firefoxRows: readonly Row[] = [
  ['firefox_title', { default: 'Title' }, browser({ header: 'Title' })],
  ['firefox_icon', 'https://a/i.png', browser({ i: 'https://a/i.png' })],
];

const website = (alert: Json, args: readonly string[] = []) => ({
  aps: { alert: { title: 'Title', body: 'Text', ...alert }, 'url-args': args },
});
const safariRows: readonly Row[] = [
  ['safari_title', { default: 'Title' }, website({})],
  ['safari_action', 'Read', website({ action: 'Read' })],
  ['safari_url_args', ['a', '7'], website({}, ['a', '7'])],
  // A header, as on iOS.
  ['safari_ttl', 60, website({})],
];

const toast = {
  'x-wns-type': 'wns/toast',
  'content-type': 'text/xml',
  'x-wns-requestforstatus': 'true',
  body: '<toast launch="{}"><visual><binding template="ToastGeneric"><text>Text</text></binding></visual></toast>',
};
const windowsRows: readonly Row[] = [
  ['wns_content', 'PHRvYXN0Lz4=', { ...toast, body: '<toast/>' }],
  ['wns_content', { default: 'PHRvYXN0Lz4=' }, { ...toast, body: '<toast/>' }],
  // Applies only to a notification that the caller has made.
  ['wns_type', 'Toast', toast],
  ['wns_tag', 'news1', { ...toast, 'x-wns-tag': 'news1' }],
  ['wns_cache', 1, { ...toast, 'x-wns-cache-policy': 'cache' }],
  ['wns_cache', 0, { ...toast, 'x-wns-cache-policy': 'no-cache' }],
  ['wns_ttl', 60, { ...toast, 'x-wns-ttl': '60' }],
];

function fieldsIn(schema: unknown): string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  if ('ios_title' in schema && 'android_header' in schema) return Object.keys(schema);
  return Object.values(schema).flatMap(fieldsIn);
}

describe('a payload of every field (Spec I)', () => {
  it.each(iosRows)('has the keys of iOS for %s %j', (field, value, payload) => {
    expect(iosOf({ content: 'Text', [field]: value })).toEqual(payload);
  });

  it.each(macRows)('has the keys of macOS for %s %j', (field, value, payload) => {
    expect(appleOf(Platform.MacOS, { content: 'Text', [field]: value })).toEqual(payload);
    expect(iosOf({ content: 'Text', [field]: value })).toEqual(plainIos);
  });

  it.each(androidRows)('has the keys of Android for %s %j', (field, value, payload) => {
    expect(androidOf({ content: 'Text', [field]: value })).toEqual(payload);
  });

  it.each(huaweiRows)('has the keys of Huawei for %s %j', (field, value, payload) => {
    expect(huaweiOf({ content: 'Text', [field]: value })).toEqual(payload);
    expect(androidOf({ content: 'Text', [field]: value })).toEqual(plainAndroid);
  });

  it.each(amazonRows)('has the keys of Amazon for %s %j', (field, value, payload) => {
    expect(amazonOf({ content: 'Text', [field]: value })).toEqual(payload);
    expect(androidOf({ content: 'Text', [field]: value })).toEqual(plainAndroid);
  });

  it.each(chromeRows)('has the keys of Chrome for %s %j', (field, value, payload) => {
    expect(browserOf(Platform.Chrome, { content: 'Text', [field]: value })).toEqual(payload);
  });

  it.each(firefoxRows)('has the keys of Firefox for %s %j', (field, value, payload) => {
    expect(browserOf(Platform.Firefox, { content: 'Text', [field]: value })).toEqual(payload);
  });

  it.each(safariRows)('has the keys of Safari for %s %j', (field, value, payload) => {
    expect(appleOf(Platform.Safari, { content: 'Text', safari_title: 'Title', [field]: value })).toEqual(payload);
  });

  it.each(windowsRows)('has the keys of Windows for %s %j', (field, value, notification) => {
    expect(windowsOf({ content: 'Text', [field]: value })).toEqual(notification);
  });

  it('has the type of a native Windows notification, which needs no text', () => {
    const tile = { wns_content: 'PHRpbGUvPg==', wns_type: 'Tile' };
    expect(windowsOf(tile)).toEqual({ ...toast, 'x-wns-type': 'wns/tile', body: '<tile/>' });
  });

  it('has the title of the message for Safari, else that of the application', () => {
    expect(appleOf(Platform.Safari, { content: 'Text', title: 'Title' })).toEqual(website({}));
    const own = { content: 'Text', title: { en: 'Title' }, safari_action: 'Read', safari_url_args: ['a'] };
    expect(appleOf(Platform.Safari, own)).toEqual(website({ action: 'Read' }, ['a']));
    expect(appleOf(Platform.Safari, { content: 'Text' })).toEqual(website({ title: 'Example' }));
  });

  it('is tested for each field of a platform', () => {
    const fields = new Set(fieldsIn(openApiOf('https://push.example.com')));
    const listed = /^(chrome|firefox)_(header|root_params)$/;
    const isOwn = (field: string) =>
      /^(ios|apns|mac|android|huawei_android|adm|chrome|firefox|safari|wns)_/.test(field) && !listed.test(field);
    const own = [...fields].filter(isOwn);
    expect(own.length).toBeGreaterThan(30);
    const androids = [...androidRows, ...huaweiRows, ...amazonRows];
    const all = [...iosRows, ...macRows, ...androids, ...chromeRows, ...firefoxRows, ...safariRows, ...windowsRows];
    const rows = new Set(all.map(([field]) => field));
    expect([...rows].toSorted()).toEqual(own.toSorted());
  });
});

describe('payloads of combined fields', () => {
  it('name the entry in the inbox', () => {
    const saved = { content: 'Text', inbox_image: 'https://a/{{City}}', dynamic_content_placeholders: { City: 'São' } };
    const params = { image: 'https://a/S%C3%A3o', rt: '1767225601' };
    const inbox = { pw_inbox: '77', inbox_params: params };
    expect(iosOf(saved)).toEqual({ ...plainIos, ...inbox });
    expect(appleOf(Platform.MacOS, saved)).toEqual({ ...plainIos, ...inbox });
    for (const payloadFor of [androidOf, huaweiOf, amazonOf]) {
      expect(payloadFor(saved)).toEqual(data({ ...inbox, inbox_params: JSON.stringify(params) }));
    }
    for (const code of [Platform.Chrome, Platform.Firefox]) expect(browserOf(code, saved)).toEqual(browser(inbox));
    expect(iosOf({ content: 'Text', inbox_days: 1 })['inbox_params']).toEqual({ rt: '1767225601' });
  });

  it('have a call that rings, with the keys of the call', () => {
    const call = { content: 'Anna calls', voip_push: true };
    const keys = { callerName: 'Anna', video: true, supportsHolding: false, supportsDTMF: true, callId: 'c1' };
    expect(iosOf({ ...call, ios_root_params: keys, ios_silent: 1 })).toEqual({
      aps: { alert: 'Anna calls', sound: 'default' },
      pw_msg: '1',
      ...keys,
    });
    expect(androidOf({ ...call, android_root_params: { voip: true, callerName: 'Anna' } })).toEqual(
      data({ title: 'Anna calls', priority: 'HIGH', voip: 'true', callerName: 'Anna' }),
    );
  });

  it('show nothing if the push is silent', () => {
    const silent = { content: 'Text', title: 'Title', ios_silent: 1, android_silent: 1, data: { k: 1 } };
    const shown = { ios_badges: 3, ios_sound: 'x', ios_critical: true, ios_category_id: 'C' };
    expect(iosOf({ ...silent, ...shown })).toEqual({
      aps: { 'content-available': 1, category: 'C' },
      u: '{"k":1}',
      pw_msg: '1',
    });
    expect(androidOf(silent)).toEqual(data({ header: 'Title', u: '{"k":1}', silent: '1', pw_silent: '1' }));
  });

  it('have a critical sound by its name, at full volume', () => {
    const critical = { content: 'Text', ios_critical: true, ios_interruption_level: 'critical' };
    const sounding = (sound: Json): unknown => (iosOf({ ...critical, ...sound })['aps'] as Json)['sound'];
    expect(sounding({ ios_sound: 'siren.caf' })).toEqual({ critical: 1, name: 'siren.caf', volume: 1 });
    expect(sounding({})).toEqual({ critical: 1, name: 'default', volume: 1 });
  });
});
