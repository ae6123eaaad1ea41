import type { Fault } from '@tidings/kernel';
import type { Request } from '../method.ts';
import { createMessage } from './createMessage.ts';

const request = (notification: Request): Request => ({ application: 'A1B2C-3D4E5', notifications: [notification] });

const textOf = (given: Request): string | undefined => {
  const missing = createMessage.missing(given);
  if (missing) return missing.message;
  try {
    createMessage.parse(given);
    return undefined;
  } catch (thrown) {
    return (thrown as Fault).message;
  }
};

const parsed = (notification: Request) => createMessage.parse(request(notification)).notifications[0]!;

const dateOf = (given: Request) => {
  const { at, localAt } = parsed({ content: 'x', ...given }).sendAt!;
  return { at: at.toISOString(), localAt: localAt?.toISOString() };
};

describe('createMessage', () => {
  it.each([
    [{ notifications: [] }, 'Missing required argument: application'],
    [{ application: 'a' }, 'Missing required argument: notifications'],
    [{ application: 'a', notifications: [] }, 'notifications: must have 1 to 1000 entries'],
    [{ application: 'a', notifications: {} }, 'notifications: must be an array'],
    [{ application: 'a', notifications: [1] }, 'notifications[0]: must be an object'],
    [
      { application: 'a', applications_group: 'g', notifications: [{ content: 'x' }] },
      'application and applications_group must not be used together',
    ],
    [
      { applications_group: 'g', notifications: [{ content: 'x' }, { content: 'x', devices: ['d'] }] },
      'devices must not be used with applications_group',
    ],
  ])('checks the request, and names the fault: %#', (given, text) => expect(textOf(given)).toBe(text));

  it.each([
    [{}, 'content: must be set'],
    [{ title: 'x' }, 'content: must be set'],
    [{ content: [] }, 'content: must be a string or an object'],
    [{ content: { en: ['x'] } }, 'content.en: must be a string'],
    [{ content: {} }, 'content: must not be empty'],
    [{ content: 'x', send_date: 'tomorrow' }, 'send_date: must be "now" or YYYY-MM-DD HH:mm'],
    [{ content: 'x', send_date: '2026-02-30 10:00' }, 'send_date: must be "now" or YYYY-MM-DD HH:mm'],
    [{ content: 'x', send_date: '2026-02-20 24:00' }, 'send_date: must be "now" or YYYY-MM-DD HH:mm'],
    [{ content: 'x', users: [] }, 'users: must not be empty'],
    [{ content: 'x', devices: 'phone' }, 'devices: must be an array'],
    [{ content: 'x', devices: Array(1001).fill('x') }, 'devices: at most 1000 entries'],
    [{ content: 'x', conditions: [] }, 'conditions: must not be empty'],
    [{ content: 'x', conditions: [['a', 'EQ']] }, 'conditions[0]: must be [tag, operator, operand]'],
    [{ content: 'x', conditions: [['a', 'EQ', 1], 5] }, 'conditions[1]: must be [tag, operator, operand]'],
    [
      { content: 'x', conditions: [['a', 'EQ', 1]], conditions_operator: 'XOR' },
      'conditions_operator: must be one of AND, OR',
    ],
    [{ content: 'x', platforms: [99] }, 'platforms: unknown value'],
    [{ content: 'x', platforms: 'ios' }, 'platforms: must be an array'],
    [{ content: 'x', data: 'x' }, 'data: must be an object or a JSON string'],
    [{ content: 'x', data: 5 }, 'data: must be an object or a JSON string'],
    [{ content: 'x', data: { k: 'x'.repeat(65_529) } }, 'data: at most 65536 characters'],
    [{ content: 'x', data: `"${'x'.repeat(65_535)}"` }, 'data: at most 65536 characters'],
    ...['template_bindings', 'dynamic_content_placeholders', 'android_root_params', 'ios_root_params'].map((name) => [
      { content: 'x', [name]: { k: 'x'.repeat(65_529) } },
      `${name}: at most 65536 characters`,
    ]),
    ...[4, -1, 'yes', []].map((minimize_link) => [
      { content: 'x', minimize_link },
      'minimize_link: must be one of 0, 1, 2, 3, true, false',
    ]),
    [{ content: 'x', timezone: 'Mars/Base' }, 'timezone: unknown zone'],
    [{ content: 'x', timezone: '+02:00', send_date: 'now' }, 'timezone: unknown zone'],
    [{ content: 'x', message_type: 'promo' }, 'message_type: must be one of marketing, transactional'],
    [{ rich_media: '' }, 'rich_media: must be 1 to 65536 characters'],
    [{ rich_page_id: 42 }, 'content: must be set'],
    [{ content: 'x', page_id: -1 }, 'page_id: must be 0 to 4294967295'],
    [{ content: 'x', campaign_name: '' }, 'campaign_name: must be 1 to 65536 characters'],
    [{ preset: '' }, 'preset: not found'],
    [{ content: 'x', campaign: '' }, 'campaign: not found'],
    [{ content: 'x', send_rate: 99 }, 'send_rate: must be 100 to 1000'],
    [{ content: 'x', devices: ['d'], send_rate: 1001 }, 'send_rate: must be 100 to 1000'],
    [{ content: 'x', send_rate_avoid: 'no' }, 'send_rate_avoid: must be a boolean'],
    [{ content: 'x', capping_days: 31, capping_count: 1 }, 'capping_days: must be 1 to 30'],
    [{ content: 'x', capping_days: 30, capping_count: 0 }, 'capping_count: must be at least 1'],
    [{ content: 'x', capping_days: 30 }, 'capping_count: must be set'],
    [{ content: 'x', capping_count: 1 }, 'capping_days: must be set'],
    [{ content: 'x', capping_avoid: 'yes' }, 'capping_avoid: must be a boolean'],
    [{ content: 'x', filter: [] }, 'filter: must be a string'],
    // Beside a list they are checked, and have no effect (R-I3, R-I20).
    ...[{}, { users: ['a'] }, { devices: ['a'] }].flatMap((list) => [
      [{ content: 'x', ...list, geozone: {} }, 'geozone.lat: must be set'],
      [{ content: 'x', ...list, geozone: { lat: 1, lng: 1, range: 49 } }, 'geozone.range: must be 50 to 1000'],
      [{ content: 'x', ...list, to: [] }, 'to: must not be empty'],
    ]),
    [{ content: 'x', users: ['a'], devices: [] }, 'devices: must not be empty'],
    [{ content: 'x', safari_url_args: [] }, 'safari_title: must be set'],
    [{ content: 'x', safari_ttl: 60, safari_url_args: null }, 'safari_title: must be set'],
    ...['Tile', 'Badge', 'Raw'].map((type): [object, string] => [
      { content: 'x', wns_type: type, wns_content: null },
      'wns_content: must be set',
    ]),
    [{ content: 'x', safari_title: 'x', safari_url_args: 'a' }, 'safari_url_args: must be an array'],
    [{ content: 'x', safari_title: 'x', safari_url_args: [], safari_ttl: -1 }, 'safari_ttl: must be 0 to 4294967295'],
    [{ content: 'x', send_date: '2026-01-01 10:00', timezone: 'Mars/Base' }, 'timezone: unknown zone'],
    [{ content: 'x', ios_badges: 'many' }, 'ios_badges: must be an integer, +n or -n'],
    [{ content: 'x', ios_ttl: -1 }, 'ios_ttl: must be 0 to 4294967295'],
    [{ content: 'x', ios_silent: 2 }, 'ios_silent: must be 0 or 1'],
    [{ content: 'x', ios_root_params: { data: 'x'.repeat(4096) } }, 'ios_root_params.data: at most 4096 bytes'],
    [{ content: 'x', mac_root_params: { k: 'ü'.repeat(125) } }, 'mac_root_params: at most 256 bytes'],
    [{ content: 'x', mac_badges: 'many' }, 'mac_badges: must be an integer, +n or -n'],
    [{ content: 'x', mac_ttl: -1 }, 'mac_ttl: must be 0 to 4294967295'],
    [{ content: 'x', android_led: 'red' }, 'android_led: must be a colour of 6 or 8 hex digits'],
    [{ content: 'x', android_priority: 3 }, 'android_priority: must be -2 to 2'],
    [{ content: 'x', transactionId: 'x'.repeat(256) }, 'transactionId: at most 255 characters'],
  ] as [Request, string][])('checks each notification, and names the fault: %#', (notification, text) =>
    expect(textOf(request(notification))).toBe(`notifications[0].${text}`),
  );

  it('refuses a send rate beside devices in the words of R-I11', () => {
    const both = request({ content: 'x', devices: ['d'], send_rate: 100, send_rate_avoid: true });
    expect(textOf(both)).toBe('send_rate must not be combined with devices');
    expect(parsed({ content: 'x', users: ['u'], send_rate: '100' }).sendRate).toEqual({ value: 100, avoid: false });
  });

  it('accepts a title of Safari alone, and its other fields beside any title (R-I22)', () => {
    const titled = parsed({ content: 'x', safari_title: 'T' }).content.safari;
    expect(titled).toMatchObject({ title: { entries: [{ text: 'T' }] }, urlArgs: undefined });
    for (const title of [{ title: 'T' }, { title: { en: 'T' } }, { preset: 'A1B2C-3D4E5' }]) {
      expect(parsed({ content: 'x', ...title, safari_url_args: ['a'] }).content.safari.urlArgs).toEqual(['a']);
    }
  });

  it('refuses filter beside conditions in the words of R-I3', () => {
    const both = request({ content: 'x', filter: 'vip', conditions: [['a', 'EQ', 1]] });
    expect(textOf(both)).toBe('filter and conditions must not be used together');
  });

  it('ignores fields that a list of devices overrides, without validation (R-I3, R-I5)', () => {
    const { recipients, platforms, circle } = parsed({
      content: 'x',
      devices: ['a', 'b', 'a'],
      filter: 5,
      filter_code: [],
      conditions: 'nonsense',
      to: ['c'],
      geozone: { lat: 1, lng: '1', range: 50 },
      platforms: 'nonsense',
    });
    expect(recipients).toEqual({ kind: 'devices', names: ['a', 'b'] });
    expect(platforms).toEqual([]);
    expect(circle).toBeUndefined();
  });

  it('accepts contacts in `to` without users and devices, on any platform unless it has some (R-I3, R-I5)', () => {
    const to = ['a@example.com', '+4915112345678', 'a@example.com'];
    const { recipients, platforms, circle } = parsed({
      content: 'x',
      to,
      filter: 5,
      geozone: { lat: 1, lng: 1, range: 50 },
    });
    expect(recipients).toEqual({ kind: 'to', names: ['a@example.com', '+4915112345678'] });
    expect([platforms, circle]).toEqual([undefined, undefined]);
    expect(parsed({ content: 'x', to, platforms: [18] }).platforms).toEqual([18]);
    expect(parsed({ content: 'x', to, users: ['u'] }).recipients.kind).toBe('users');
    expect(textOf(request({ content: 'x', to, platforms: [4] }))).toBe('notifications[0].platforms: unknown value');
  });

  it('selects devices in a circle, also beside a segment or conditions (R-I20)', () => {
    const geozone = { lat: 52.5, lng: '13.4', range: 50 };
    for (const others of [{}, { filter: 'vip' }, { conditions: [['a', 'EQ', 1]] }]) {
      expect(parsed({ content: 'x', geozone, ...others }).circle).toEqual({ lat: 52.5, lng: 13.4, rangeMeters: 50 });
    }
    expect(parsed({ content: 'x' }).circle).toBeUndefined();
  });

  it('applies platforms from ten devices on, and with users (R-I5)', () => {
    const ten = Array.from({ length: 10 }, (_, i) => `d${i}`);
    expect(parsed({ content: 'x', devices: ten, platforms: ['1'] }).platforms).toEqual([1]);
    expect(parsed({ content: 'x', users: ['u'], devices: ['a'], platforms: [3, 3] })).toMatchObject({
      recipients: { kind: 'users', names: ['u'] },
      platforms: [3],
    });
  });

  it('accepts a bare triple as a list of one, and operators in any case (R-RES12, R-RES16)', () => {
    expect(parsed({ content: 'x', conditions: ['Level', 'gte', 5], conditions_operator: 'or' }).recipients).toEqual({
      kind: 'conditions',
      operator: 'OR',
      conditions: [{ tag: 'Level', operator: 'GTE', operand: 5 }],
    });
  });

  it.each(['now', 'NOW', null, undefined])('sends at once with send_date %s (R-I7)', (send_date) => {
    expect(parsed({ content: 'x', send_date }).sendAt).toBeUndefined();
  });

  it.each([
    ...['2026-01-15 12:30', '2026-01-15 12:30:00', '2026-01-15T12:30', '2026-01-15T12:30:00Z'],
    ...[
      '2026-01-15T12:30:00.000Z',
      '2026-01-15 12:30:00.123456',
      '2026-01-15T14:30:00.000+02:00',
      '2026-01-15T07:00-0530',
    ],
  ])('reads %s', (send_date) => {
    expect(dateOf({ send_date })).toEqual({ at: '2026-01-15T12:30:00.000Z', localAt: undefined });
  });

  it.each([
    ['2026-01-15 12:30', 'europe/BERLIN', '2026-01-15T11:30:00.000Z'],
    ['2026-07-15 12:30', 'Europe/Berlin', '2026-07-15T10:30:00.000Z'],
    ['2026-07-15T12:30:00Z', 'Europe/Berlin', '2026-07-15T12:30:00.000Z'],
    ['2026-01-15 00:10', 'Pacific/Kiritimati', '2026-01-14T10:10:00.000Z'],
    ['2026-01-15 23:50', 'Asia/Kolkata', '2026-01-15T18:20:00.000Z'],
    // Clocks go from 02:00 to 03:00: the skipped time is an hour later.
    ['2026-03-29 02:30', 'Europe/Berlin', '2026-03-29T01:30:00.000Z'],
    ['2026-03-08 02:30', 'America/New_York', '2026-03-08T07:30:00.000Z'],
    // Clocks go from 03:00 to 02:00: the first of both counts.
    ['2026-10-25 02:30', 'Europe/Berlin', '2026-10-25T00:30:00.000Z'],
    ['2026-11-01 01:30', 'America/New_York', '2026-11-01T05:30:00.000Z'],
  ])('reads %s in %s (R-I8)', (send_date, timezone, expected) => {
    expect(dateOf({ send_date, timezone })).toEqual({ at: expected, localAt: undefined });
  });

  it.each([
    [{}, '2026-03-29T02:30:00.000Z'],
    // The clocks of devices know no gaps.
    [{ timezone: 'Europe/Berlin' }, '2026-03-29T01:30:00.000Z'],
    [{ timezone: 'America/New_York' }, '2026-03-29T06:30:00.000Z'],
  ])('reads a date as the time of each device, and in the zone for devices without offset: %j (R-I9)', (zone, at) => {
    const own = { send_date: '2026-03-29 02:30', ignore_user_timezone: false };
    expect(dateOf({ ...own, ...zone })).toEqual({ at, localAt: '2026-03-29T02:30:00.000Z' });
  });

  it('passes JSON text byte for byte, and keys of languages in lower case (R-I15, R-I18)', () => {
    const { content } = parsed({ content: { EN: 'Hi', de: 5 }, data: '{ "a":1 }' });
    expect(content.data).toBe('{ "a":1 }');
    expect(content.text?.entries).toEqual([
      { language: 'en', text: 'Hi' },
      { language: 'de', text: '5' },
    ]);
  });

  it('applies ios_trim_content if apns_trim_content is absent (R-V2)', () => {
    expect(parsed({ content: 'x', ios_trim_content: 1 }).content.ios.trim).toBe(true);
    expect(parsed({ content: 'x', ios_trim_content: 1, apns_trim_content: 0 }).content.ios.trim).toBe(false);
  });

  it.each([
    [0, false],
    [1, false],
    [false, false],
    ['false', false],
    ['0', false],
    [2, true],
    ['2', true],
    [3, true],
    [true, true],
    ['true', true],
    [null, undefined],
  ])('reads minimize_link %j as %j (R-I19)', (minimize_link, expected) => {
    expect(parsed({ content: 'x', minimize_link }).content.shortenLink).toBe(expected);
  });

  it('accepts a time zone with now (R-I8, R-I9)', () => {
    expect(textOf(request({ content: 'x', timezone: 'europe/BERLIN', ignore_user_timezone: false }))).toBeUndefined();
  });

  it('needs no content beside a preset, and passes on only the given fields (R-I14, R-K4)', () => {
    const { preset, content, platforms } = parsed({ preset: 'd1b2c-3d4e5', ios_silent: 0, link: null });
    expect(preset).toBe('D1B2C-3D4E5');
    expect(content).toMatchObject({ text: undefined, link: undefined, shortenLink: undefined, voip: undefined });
    expect(content.ios).toMatchObject({ silent: false, soundOff: undefined });
    expect(platforms).toBeUndefined();
  });

  it('ignores the name of a campaign beside its code (R-RES5)', () => {
    expect(parsed({ content: 'x', campaign: 'c1b2c-3d4e5', campaign_name: [] })).toMatchObject({
      campaign: 'C1B2C-3D4E5',
      campaignName: '',
    });
    expect(parsed({ content: 'x', campaign_name: 'Spring' })).toMatchObject({ campaign: '', campaignName: 'Spring' });
  });
});
