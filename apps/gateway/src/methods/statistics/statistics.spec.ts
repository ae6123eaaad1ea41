import { api } from '@tidings/contract';
import { FunnelReply, type ListMessagesRequest, MessageView, TotalsReply } from '@tidings/rpc';
import { type Client, openClient } from '../../testing/gateway-client.ts';
import { APPLICATION, FOREIGN, UNGRANTED, World } from '../../testing/gateway-world.ts';

const DAY_MS = 86_400_000;
const key = { authorization: 'Api api' };
const NOW = Date.parse('2026-06-01T12:00:00Z');

const viewOf = (id: number, createdAt: Date, more: object = {}): MessageView =>
  MessageView.fromPartial({
    code: `C0DE0-${id}`,
    id: BigInt(id),
    account: 'a',
    createdAt,
    status: 'DONE',
    message: {
      applications: [APPLICATION],
      sendAt: createdAt,
      source: 'API',
      audience: { platforms: [1, 3, 2] },
      ...more,
    },
  });

let world: World;
let client: Client;
beforeAll(async () => {
  world = new World();
  world.clock.now = () => NOW;
  client = await openClient(world);
});
afterAll(() => client.close());

describe('messages:list', () => {
  let requests: ListMessagesRequest[];
  beforeEach(() => {
    requests = [];
    const stored = [
      { view: viewOf(5, new Date(NOW)), listed: true },
      { view: viewOf(4, new Date(NOW - DAY_MS)), listed: false },
      { view: viewOf(3, new Date(NOW - 8 * DAY_MS)), listed: true },
      { view: viewOf(2, new Date(NOW - 8 * DAY_MS)), listed: false },
      { view: viewOf(1, new Date(NOW - 300 * DAY_MS)), listed: false },
      { view: viewOf(0, new Date(NOW - 400 * DAY_MS)), listed: false },
    ];
    world.messages.list = async (request) => {
      requests.push(request);
      const found = stored
        .filter(({ listed }) => request.listedRecipients === undefined || request.listedRecipients === listed)
        .map(({ view }) => view)
        .filter(({ createdAt }) => !request.createdFrom || createdAt! >= request.createdFrom)
        .filter(({ createdAt }) => !request.createdBefore || createdAt! < request.createdBefore);
      return { total: BigInt(found.length), messages: found.slice(request.skip, request.skip + request.limit) };
    };
    world.statistics.metrics = async ({ messages }) => ({
      messages: messages.map((message) => ({
        message,
        platforms: [{ platform: 1, sends: 5, opens: 2, deliveries: 4, inboxOpens: 0, unshowableSends: 1, errors: 0 }],
      })),
    });
  });

  const list = async (fields: object = {}, filters: object = {}) =>
    (await client.apiV2('messages:list', { filters: { application: APPLICATION, ...filters }, ...fields }, key))
      .body as {
      total: number;
      items: { code: string; push_info: object }[];
    };

  it.each([
    [{}, ['C0DE0-5', 'C0DE0-4', 'C0DE0-2', 'C0DE0-1']],
    [{ per_page: 2, page: 0 }, ['C0DE0-5', 'C0DE0-4']],
    [{ per_page: 3, page: 0 }, ['C0DE0-5', 'C0DE0-4', 'C0DE0-2']],
    [{ per_page: 3, page: 1 }, ['C0DE0-1']],
    [{ per_page: 1, page: 2 }, ['C0DE0-2']],
    [{ per_page: 2, page: 5 }, []],
    [{ per_page: 499, page: 1e15 }, []],
  ])(
    'joins a week of listed messages and a year of broadcasts, newest first: %j (R-H2, R-H3)',
    async (fields, codes) => {
      const { total, items } = await list(fields);
      expect(total).toBe(4);
      expect(items.map(({ code }) => code)).toEqual(codes);
    },
  );

  it.each([
    [{ message_type: 'TRANSACTIONAL' }, { listedRecipients: true, createdFrom: new Date(NOW - 7 * DAY_MS) }],
    [{ message_type: 'BROADCAST' }, { listedRecipients: false, createdFrom: new Date(NOW - 365 * DAY_MS) }],
    [{ date_range: { date_to: '2026-01-31' } }, { createdFrom: undefined, createdBefore: new Date('2026-02-01') }],
    [{ messages_codes: ['c0de0-3'] }, { codes: ['C0DE0-3'], createdFrom: undefined, listedRecipients: undefined }],
    [
      { messages_ids: [3], platforms: ['IOS'] },
      { ids: [3n], platforms: [1], createdFrom: undefined },
    ],
  ])('sends one call if the filter limits the period: %j', async (filters, request) => {
    await list({}, filters);
    expect(requests).toMatchObject([request]);
  });

  it('requests the rest of a page that the scheduler answers in parts, and shows each message once', async () => {
    const views = Array.from({ length: 9 }, (_, i) => viewOf(9 - i, new Date(NOW)));
    world.messages.list = async ({ skip, limit }) => {
      // The newest message is created after the first part.
      const stored = skip === 0 ? views.slice(1) : views;
      return { total: BigInt(stored.length), messages: stored.slice(skip, skip + Math.min(limit, 4)) };
    };
    const { items } = await list({ per_page: 6 }, { messages_ids: [1] });
    expect(items.map(({ code }) => code)).toEqual([8, 7, 6, 5, 4, 3].map((id) => `C0DE0-${id}`));
  });

  it('refuses a page whose details exceed the limit', async () => {
    world.messages.list = async ({ skip }) => ({ total: 500n, messages: [viewOf(skip, new Date(NOW))] });
    const body = { filters: { application: APPLICATION }, params: { with_details: true } };
    expect(await client.apiV2('messages:list', body, key)).toMatchObject({
      status: 400,
      body: { code: 3, message: 'per_page: the details of these messages exceed 64 MiB, ask for fewer' },
    });
  });

  it('shows details and metrics on request (R-RES22)', async () => {
    const bare = await list({}, { messages_ids: [3] });
    expect(bare.items[0]).toEqual({
      id: 5,
      code: 'C0DE0-5',
      created_date: '2026-06-01 12:00:00',
      send_date: '2026-06-01 12:00:00',
      status: 'DONE',
      platforms: ['IOS', 'ANDROID'],
      source: 'API',
      push_info: { follow_user_timezone: false },
    });
    world.messages.list = async () => ({
      total: 1n,
      messages: [
        viewOf(3, new Date(NOW), {
          conditions: '[["Level","GTE",5]]',
          conditionsOperator: 'OR',
          content: {
            text: { entries: [{ language: 'en', text: 'Hi' }] },
            title: { entries: [{ language: 'default', text: 'News' }] },
            data: '{"a":1}',
            ios: { rootParams: '{"aps":{}}' },
            chrome: { title: { entries: [{ language: 'en', text: 'In Chrome' }] }, rootParams: '{"dir":"rtl"}' },
            firefox: { title: { entries: [{ language: 'en', text: 'In Firefox' }] }, rootParams: '{"b":2}' },
          },
        }),
      ],
    });
    const full = await list({ params: { with_details: true, with_metrics: 1 } }, { messages_ids: [3] });
    expect(api.messagesList.output.safeParse(full)).toMatchObject({ success: true });
    expect(full.items[0]?.push_info).toMatchObject({
      details: {
        title: 'News',
        content: { en: 'Hi' },
        platform_parameters: {
          ios_root_params: { aps: {} },
          android_header: '',
          chrome_header: 'In Chrome',
          firefox_header: 'In Firefox',
          chrome_root_params: { dir: 'rtl' },
          firefox_root_params: { b: 2 },
        },
        conditions: [['Level', 'GTE', 5]],
        conditions_operator: 'OR',
        data: { a: 1 },
      },
      metrics: [{ platform: 1, sends: 5, opens: 2, deliveries: 4, inbox_opens: 0, unshowable_sends: 1, errors: 0 }],
    });
  });

  it.each(['{"order":9007199254740993}', '[9007199254740993,"a"]'])(
    'shows custom data as it was given: %s (R-I18)',
    async (data) => {
      world.messages.list = async () => ({
        total: 1n,
        messages: [
          viewOf(3, new Date(NOW), { content: { data, android: { rootParams: '{"id":-9007199254740993}' } } }),
        ],
      });
      const reply = await fetch(new URL('/api/v2/messages:list', client.url), {
        method: 'POST',
        headers: key,
        body: JSON.stringify({
          filters: { application: APPLICATION, messages_ids: [3] },
          params: { with_details: true },
        }),
      });
      const text = await reply.text();
      expect(text).toContain(`"data":${data}`);
      expect(text).toContain('"android_root_params":{"id":-9007199254740993}');
      expect(api.messagesList.output.safeParse(JSON.parse(text))).toMatchObject({ success: true });
    },
  );

  it.each<[reach: number[], parts: string[], source?: string]>([
    [[14], ['email_info']],
    [[], ['email_info'], 'EMAIL_API'],
    [
      [1, 14],
      ['push_info', 'email_info'],
    ],
    [[1], ['push_info']],
    [[], ['push_info']],
  ])(
    'has the parts of the platforms that a message reaches: %j (R-RES22)',
    async (platforms, parts, source = 'API') => {
      world.messages.list = async () => ({
        total: 1n,
        messages: [viewOf(3, new Date(NOW), { reach: { platforms }, source })],
      });
      const [item] = (await list({}, { messages_ids: [3] })).items;
      expect(Object.keys(item!).filter((key) => key.endsWith('_info'))).toEqual(parts);
    },
  );

  it('shows an e-mail with the metrics of e-mail (R-RES22, R-E16)', async () => {
    const from = { address: 'shop@shop.example', name: 'Shop' };
    world.messages.list = async () => ({
      total: 1n,
      messages: [
        viewOf(3, new Date(NOW), {
          reach: { platforms: [14] },
          preset: 'B1B2C-3D4E5',
          filterName: 'Few',
          filterCode: 'C1B2C-3D4E5',
          content: { email: { subject: { entries: [{ language: 'de', text: 'Hallo' }] }, from } },
        }),
      ],
    });
    const mail = { confirmedSends: 4, hardBounces: 1, softBounces: 2, rejects: 3, unsubs: 5, complaints: 6 };
    const counted = { platform: 14, sends: 7, opens: 2, deliveries: 3, inboxOpens: 0, unshowableSends: 0, errors: 8 };
    world.statistics.metrics = async () => ({ messages: [{ message: '', platforms: [{ ...counted, mail }] }] });
    const full = await list({ params: { with_details: true, with_metrics: 1 } }, { messages_ids: [3] });
    expect(api.messagesList.output.safeParse(full)).toMatchObject({ success: true });
    expect(full.items[0]).toMatchObject({
      email_info: {
        details: {
          template: 'B1B2C-3D4E5',
          filter_name: 'Few',
          filter_code: 'C1B2C-3D4E5',
          subject: { de: 'Hallo' },
          from_name: 'Shop',
          from_email: 'shop@shop.example',
          reply_name: '',
          reply_email: '',
          follow_user_timezone: false,
          conditions: [],
          conditions_operator: 'AND',
        },
        metrics: [
          {
            sends: 7,
            opens: 2,
            deliveries: 3,
            errors: 8,
            hard_bounces: 1,
            soft_bounces: 2,
            rejects: 3,
            confirmed_sends: 4,
            unsubs: 5,
            complaints: 6,
          },
        ],
      },
    });
  });

  it('shows the sender of the application at the start of a mail without one', async () => {
    const since = (iso: string, address: string) => ({
      since: new Date(iso),
      from: { address, name: 'Shop' },
      replyTo: { address: 'help@shop.example', name: '' },
    });
    const sent = (id: number, iso: string) =>
      viewOf(id, new Date(iso), { reach: { platforms: [14] }, content: { email: {} } });
    const { listMailSenders } = world.services.applications;
    world.messages.list = async () => ({
      total: 2n,
      messages: [sent(3, '2026-01-02T12:00:00Z'), sent(4, '2026-01-04T12:00:00Z')],
    });
    world.services.applications.listMailSenders = async () => ({
      senders: [since('2026-01-01T00:00:00Z', 'old@shop.example'), since('2026-01-03T00:00:00Z', 'new@shop.example')],
    });
    const { items } = await list({ params: { with_details: true } }, { messages_ids: [3, 4] });
    world.services.applications.listMailSenders = listMailSenders;
    const details = (from_email: string) => ({
      email_info: { details: { from_name: 'Shop', from_email, reply_name: '', reply_email: 'help@shop.example' } },
    });
    expect(items).toMatchObject([details('old@shop.example'), details('new@shop.example')]);
  });

  describe('messages:list of a campaign', () => {
    const OPEN = 'AAAAA-00004';
    const campaign = 'A1B2C-3D4E5';
    const ofApplication = (application: string): void => {
      world.presets.findCampaign = async ({ code }) => ({
        campaign: { code, id: 17n, application, name: 'c', description: '' },
      });
    };
    beforeAll(() => {
      const view = world.applications.get(UNGRANTED)!;
      world.applications.set(OPEN, { ...view, code: OPEN, authorizeAllTokens: true });
    });
    afterEach(() => {
      world.presets.findCampaign = async () => ({ campaign: undefined });
    });

    it.each([APPLICATION, OPEN])(
      'accepts a campaign of any application that the caller may use (R-I2): %s',
      async (owner) => {
        ofApplication(owner);
        expect((await list({}, { campaign, messages_ids: [3] })).items).not.toEqual([]);
        expect(requests).toMatchObject([{ application: APPLICATION, campaignId: 17n }]);
      },
    );

    it('refuses a campaign of another application without messages (R-I2)', async () => {
      world.messages.list = async () => ({ total: 0n, messages: [] });
      const body = { filters: { application: APPLICATION, campaign } };
      ofApplication(OPEN);
      expect((await client.apiV2('messages:list', body, key)).body).toMatchObject({ code: 3 });
      ofApplication(APPLICATION);
      expect((await client.apiV2('messages:list', body, key)).body).toMatchObject({ items: [] });
    });

    it.each([undefined, UNGRANTED, FOREIGN])(
      'refuses an unknown campaign, and one of %s (R-RES5, R-T7)',
      async (owner) => {
        if (owner !== undefined) ofApplication(owner);
        const body = { filters: { application: APPLICATION, campaign } };
        expect(await client.apiV2('messages:list', body, key)).toMatchObject({
          status: 400,
          body: { code: 3, message: 'filters.campaign: not found' },
        });
        expect(requests).toEqual([]);
      },
    );
  });
});

describe('getDeliveryFunnel', () => {
  const path = 'statistics/messages/getDeliveryFunnel';
  const notFound = { status: 404, body: { code: 5, message: 'message not found', details: [] } };
  const total = {
    count: 5,
    platforms: [
      { platform: 3, count: 0 },
      { platform: 1, count: 5 },
    ],
  };

  beforeEach(() => {
    world.statistics.funnel = async () =>
      FunnelReply.fromPartial({
        funnelState: 'FUNNEL_STATE_READY',
        windowFrom: new Date('2026-06-01T12:00:00.500Z'),
        windowTo: new Date('2026-07-01T12:00:00Z'),
        channels: [
          {
            channel: 'CHANNEL_MOBILE_PUSH',
            deliveriesForm: 'DELIVERIES_FORM_PER_DEVICE',
            basicFormReason: 'BASIC_FORM_REASON_UNSPECIFIED',
            confirmedDeliveries: total,
            funnel: [
              {
                stage: 'STAGE_AUDIENCE',
                total,
                pieces: [{ kind: 'KIND_PASSED', category: 'ELIGIBLE_AUDIENCE', total }],
              },
              {
                stage: 'STAGE_ERRORS',
                total,
                errors: [
                  { category: 'NO_TOKEN', total, codes: [{ platform: 1, code: '0', name: 'no_token', count: 5 }] },
                ],
              },
            ],
          },
        ],
      });
  });

  it('writes counts as text and leaves zeros out of breakdowns (R-H9)', async () => {
    world.messages.find = async () => ({ message: viewOf(3, new Date(NOW)) });
    const answer = await client.apiV2(path, { message_code: 'c0de0-3' }, key);
    const counted = { count: '5', platforms: [{ platform: 1, count: '5' }] };
    expect(answer).toMatchObject({ status: 200 });
    expect(answer.body).toEqual({
      funnel_state: 'FUNNEL_STATE_READY',
      window_from: '2026-06-01T12:00:00Z',
      window_to: '2026-07-01T12:00:00Z',
      channels: [
        {
          channel: 'CHANNEL_MOBILE_PUSH',
          deliveries_form: 'DELIVERIES_FORM_PER_DEVICE',
          basic_form_reason: 'BASIC_FORM_REASON_UNSPECIFIED',
          confirmed_deliveries: counted,
          funnel: [
            {
              stage: 'STAGE_AUDIENCE',
              ...counted,
              pieces: [{ kind: 'KIND_PASSED', category: 'ELIGIBLE_AUDIENCE', ...counted }],
              errors: [],
            },
            {
              stage: 'STAGE_ERRORS',
              ...counted,
              pieces: [],
              errors: [
                { category: 'NO_TOKEN', ...counted, codes: [{ platform: 1, code: '0', name: 'no_token', count: '5' }] },
              ],
            },
          ],
        },
      ],
    });
  });

  it.each([
    ['unknown', undefined],
    ['hidden', viewOf(3, new Date(NOW), { hidden: true })],
    ['of an application that the token may not use', viewOf(3, new Date(NOW), { applications: [UNGRANTED] })],
    ['of a foreign application', viewOf(3, new Date(NOW), { applications: [FOREIGN] })],
  ])('answers "not found" for a message that is %s (R-H7, R-T7)', async (_what, message) => {
    world.messages.find = async () => ({ message });
    expect(await client.apiV2(path, { message_code: 'C0DE0-3' }, key)).toMatchObject(notFound);
  });

  it('reads no body before the caller is authorized', async () => {
    expect(await client.apiV2(path, {})).toMatchObject({ status: 401, body: { code: 16 } });
    expect(await client.apiV2(path, {}, key)).toMatchObject({
      status: 400,
      body: { code: 3, message: 'message_code is required', details: [] },
    });
  });
});

describe('totalsByIntervals', () => {
  const path = 'statistics/messages/totalsByIntervals';

  beforeEach(() => {
    world.messages.find = async () => ({ message: viewOf(3, new Date(NOW)) });
    world.statistics.totals = async ({ platforms }) =>
      TotalsReply.fromPartial({
        hours: [{ hour: NOW / 3_600_000, platform: 3, sends: 5, opens: platforms.length, unshowableSends: 1 }],
        sends: 5,
        opens: platforms.length,
        events: [
          { name: 'Buy', hits: 2, conversion: 0.6667, revenue: 0 },
          { name: 'Look', hits: 1, conversion: 0.3333 },
        ],
      });
  });

  it('writes counts as text, and revenue only if there is one (R-H5, R-H6)', async () => {
    const { status, body } = await client.apiV2(path, { message_code: 'c0de0-3', platforms: ['3', 1, 11] }, key);
    expect(status).toBe(200);
    expect(body).toEqual({
      metrics: [
        {
          timestamp: '2026-06-01 12:00:00',
          platform: 3,
          sends: '5',
          opens: '3',
          deliveries: '0',
          inbox_opens: '0',
          unshowable_sends: '1',
          errors: '0',
        },
      ],
      conversion: {
        sends: '5',
        opens: '3',
        events: [
          { name: 'Buy', hits: 2, conversion: 0.6667, revenue: 0 },
          { name: 'Look', hits: 1, conversion: 0.3333 },
        ],
      },
    });
  });

  it.each([
    [{}, 400, 'message_code is required'],
    [{ message_code: 'C0DE0-3', platforms: [99] }, 400, 'platforms[0]: unknown value'],
    [{ message_code: 'C0DE0-3', platforms: 1 }, 400, 'platforms: must be an array'],
  ])('refuses %j (R-H7)', async (request, status, message) =>
    expect(await client.apiV2(path, request, key)).toMatchObject({ status, body: { code: 3, message, details: [] } }),
  );

  it('answers "not found" for a message of another application (R-T7)', async () => {
    world.messages.find = async () => ({ message: viewOf(3, new Date(NOW), { applications: [UNGRANTED] }) });
    const answer = await client.apiV2(path, { message_code: 'C0DE0-3' }, key);
    expect(answer).toMatchObject({ status: 404, body: { code: 5, message: 'message not found', details: [] } });
  });
});
