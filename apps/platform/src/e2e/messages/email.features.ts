import { beforeAll, describe, expect, it } from '@jest/globals';
import {
  fcmToken,
  mailAddress,
  mailReplyAddress,
  type MailReport,
  sendMailReport,
  startSubscriber,
} from '@tidings/simulators';
import { BOUNCE_DOMAIN, funnelFigures, listedMessage, type PlatformWorld } from '@tidings/testing';
import { android, type MessagesUnderTest } from './testing/messages.ts';

const EMAIL = 14;

export function emailFeatures(test: MessagesUnderTest): void {
  const { sendOne, funnelOf, brokenBy } = test;
  let world: PlatformWorld;
  beforeAll(() => {
    ({ world } = test);
  });

  describe('e-mail', () => {
    let application: string;
    const dead = mailAddress('dead', 1, 0, 'suite.example');
    const full = mailReplyAddress('552 #5.2.2 mailbox full', 2, 'suite.example');
    const people = ['anna@suite.example', 'boris@suite.example', 'clara@suite.example', 'dora@suite.example'];
    const [anna, boris, clara, dora] = people as [string, string, string, string];

    const mailsTo = (address: string): string[] =>
      world.simulators.ledger
        .of('email')
        .entries({ token: address })
        .map(({ payload }) => payload ?? '');
    const audienceOf = async (code: string) => {
      const funnel = await funnelOf(code);
      const { audience, eligible, sent } = funnelFigures(funnel, EMAIL, 'EMAIL');
      const stages = funnel.channels.find(({ channel }) => channel === 'CHANNEL_EMAIL')?.funnel;
      const pieces = stages?.find(({ stage }) => stage === 'STAGE_AUDIENCE')?.pieces ?? [];
      const reasons = pieces.filter(({ kind, count }) => kind === 'KIND_REASON' && count !== '0');
      return {
        audience,
        eligible,
        sent,
        excluded: Object.fromEntries(reasons.map((each) => [each.category, Number(each.count)])),
      };
    };

    const mailFiguresOf = async (code: string) => {
      const funnel = await funnelOf(code);
      const stages = funnel.channels.find(({ channel }) => channel === 'CHANNEL_EMAIL')!.funnel;
      const opened = stages.find(({ stage }) => stage === 'STAGE_OPENED')!;
      return {
        rows: funnelFigures(funnel, EMAIL, 'EMAIL').rows,
        stages: stages.map(({ stage }) => stage.replace('STAGE_', '')),
        opens: opened.pieces.map(({ category, count }) => [category, count]),
      };
    };

    let first = '';
    const openedIn = async (code: string) => {
      const { channels } = await funnelOf(code);
      const stages = new Map(
        channels.find(({ channel }) => channel === 'CHANNEL_EMAIL')?.funnel.map((each) => [each.stage, each]),
      );
      const opened = stages.get('STAGE_OPENED');
      const pieces = opened?.pieces.filter(({ kind, count }) => kind !== 'KIND_SUBSET' && count !== '0') ?? [];
      return {
        opened: opened?.count,
        by: Object.fromEntries(pieces.map(({ category, count }) => [category, count])),
        interactions: stages.get('STAGE_INTERACTIONS')?.count,
      };
    };

    const metricsIn = async (of: string, code: string) => {
      const filters = { application: of, messages_codes: [code] };
      const { items } = await world.call('messagesList', { filters, params: { with_metrics: true } });
      return items[0]!.email_info!.metrics![0];
    };

    const htmlOf = (mail = ''): string =>
      mail
        .replaceAll('=\r\n', '')
        .replace(/=([0-9A-F]{2})/g, (_, byte: string) => String.fromCharCode(Number.parseInt(byte, 16)));

    const mailApplication = async (others: { readonly android?: boolean } = {}): Promise<string> => {
      const code = await world.application({ ios: false, android: false, ...others });
      await world.call('configureApplication', {
        application: code,
        device_type: EMAIL,
        email_from_email: 'shop@suite.example',
        email_from_name: 'Shop',
        email_reply: 'help@suite.example',
      });
      return code;
    };

    beforeAll(async () => {
      application = await mailApplication();
      for (const email of [...people, dead, full]) await world.call('registerEmail', { application, email });
      await world.call('setEmailTags', { application, email: boris, tags: { 'Unsubscribed Emails': true } });
      await world.call('blacklistAddress', { address: clara.toUpperCase() });
      await world.call('recordComplaint', { address: dora });
      await world.settle();
    });

    it('goes to subscribed contacts, and blacklists addresses that bounce hard (R-E5, R-E14)', async () => {
      const content = '<p>Hello, orders < 5 &pound;</p><a href="https://shop.example/?a=1&amp;b=2">Shop</a>';
      const news = { content, title: 'News', platforms: [EMAIL] };
      const code = await sendOne(application, news);
      first = code;
      await world.settle();
      expect(await audienceOf(code)).toEqual({
        audience: 6,
        eligible: 3,
        sent: 3,
        excluded: { UNSUBSCRIBED: 1, BOUNCED: 1, COMPLAINT: 1 },
      });
      expect(await brokenBy(application, code)).toEqual([]);
      const params = { with_metrics: true, with_details: true };
      const { items } = await world.call('messagesList', { filters: { application, messages_codes: [code] }, params });
      expect(items[0]).not.toHaveProperty('push_info');
      expect(items[0]!.email_info).toEqual({
        details: expect.objectContaining({
          template: '',
          subject: { default: 'News' },
          from_name: 'Shop',
          from_email: 'shop@suite.example',
          reply_name: '',
          reply_email: 'help@suite.example',
        }),
        metrics: [
          {
            sends: 3,
            confirmed_sends: 1,
            deliveries: 1,
            hard_bounces: 2,
            soft_bounces: 0,
            rejects: 3,
            opens: 0,
            unsubs: 0,
            complaints: 0,
            errors: 0,
          },
        ],
      });
      expect(await mailFiguresOf(code)).toEqual({
        rows: {
          CONFIRMED_BY_DEVICE: 1,
          NO_CONFIRMATION: 2,
          BOUNCED_HARD: 2,
          BOUNCED_HARD_GENERAL: 1,
          BOUNCED_HARD_MAILBOX_FULL: 1,
        },
        stages: ['AUDIENCE', 'SENT', 'ERRORS', 'DELIVERIES', 'OPENED', 'INTERACTIONS'],
        opens: [
          ['OPENED_BY_RECIPIENT', '0'],
          ['MACHINE_OPENS_ONLY', '0'],
          ['OPEN_TYPE_UNKNOWN', '0'],
        ],
      });
      expect(people.map((address) => mailsTo(address).length)).toEqual([1, 0, 0, 0]);
      const [beforeHtml = ''] = mailsTo(anna)[0]!.split('Content-Type: text/html');
      expect(beforeHtml).toContain('Subject: News\r\n');
      expect(beforeHtml).toContain('Hello, orders < 5 =C2=A3');
      for (const address of [dead, full])
        expect(await world.call('getBlacklisted', { address })).toMatchObject({ address });
      const again = await sendOne(application, { ...news, message_type: 'transactional' });
      await world.settle();
      expect(await audienceOf(again)).toEqual({
        audience: 6,
        eligible: 2,
        sent: 2,
        excluded: { BOUNCED: 3, COMPLAINT: 1 },
      });
      expect(people.map((address) => mailsTo(address).length)).toEqual([2, 1, 0, 0]);
      expect(mailsTo(dead)).toHaveLength(1);
    });

    it('reports opens and clicks of recipients (R-E17)', async () => {
      const html = htmlOf(mailsTo(anna)[0]);
      const [, link = ''] = /<a href="([^"]+)"/.exec(html) ?? [];
      const [, image = ''] = /<img src="([^"]+)"/.exec(html) ?? [];
      const get = (url: string, agent: string) => fetch(url, { redirect: 'manual', headers: { 'user-agent': agent } });
      // Within two seconds only machines open a mail.
      await world.advance(3);
      expect((await get(image, 'Mozilla/5.0')).headers.get('content-type')).toBe('image/gif');
      expect((await get(link, 'Barracuda Sentinel')).status).toBe(302);
      await world.settle();
      expect(await openedIn(first)).toEqual({ opened: '1', by: { MACHINE_OPENS_ONLY: '1' }, interactions: '0' });
      const clicked = await get(link, 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) Safari/605.1.15');
      expect(clicked.headers.get('location')).toBe('https://shop.example/?a=1&b=2');
      expect((await get(link.replace('shop.example', 'evil.example'), 'Safari')).status).toBe(403);
      await world.settle();
      expect(await openedIn(first)).toEqual({ opened: '1', by: { OPENED_BY_RECIPIENT: '1' }, interactions: '1' });
    });

    it('contains a link by which mail clients unsubscribe, and recipients choose (R-E11)', async () => {
      const [mail = ''] = mailsTo(anna);
      const link = /^List-Unsubscribe: <([^>]+)>\r$/m.exec(mail)?.[1] ?? '';
      expect(mail).toContain('List-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n');
      expect(mailsTo(boris)[0]).not.toContain('List-Unsubscribe');
      const tags = async (): Promise<object> => (await world.call('getTags', { application, hwid: anna })).result;
      const post = (form: Readonly<Record<string, string>>) =>
        fetch(link, { method: 'POST', body: new URLSearchParams(form) });
      await world.call('setCategories', { categories: ['News', 'Offers'] });
      expect((await post({ 'List-Unsubscribe': 'One-Click' })).status).toBe(200);
      expect(await tags()).toMatchObject({ 'Unsubscribed Emails': true });
      const page = await (await fetch(link)).text();
      expect(page).toContain('a…@suite.example receives no marketing e-mails');
      expect(page).toContain('value="Offers"');
      expect((await post({ choice: 'save', category: 'News' })).status).toBe(200);
      expect(await tags()).toMatchObject({ 'Unsubscribed Categories': ['Offers'] });
      expect(await tags()).not.toHaveProperty('Unsubscribed Emails');
      await world.settle();
      expect((await listedMessage(world, application, first))?.email_info?.metrics).toMatchObject([{ unsubs: 1 }]);
      expect(
        (
          await fetch(
            link.replace(/..$/, (end) => (end === 'AA' ? 'xx' : 'AA')),
            { method: 'POST' },
          )
        ).status,
      ).toBe(403);
      await world.call('setCategories', { categories: [] });
    });

    it('is no longer sent to an address after a bounce or a complaint (R-E5, R-E14, R-E18)', async () => {
      const own = await mailApplication();
      const [gone, late, angry] = ['gone@back.example', 'late@back.example', 'angry@back.example'] as const;
      for (const email of [gone, late, angry]) await world.call('registerEmail', { application: own, email });
      const news = { content: '<p>Hello</p>', title: 'News', platforms: [EMAIL] };
      const code = await sendOne(own, news);
      await world.settle();

      const report = (address: string, what: MailReport, forge = (mail: string): string => mail): Promise<number> =>
        sendMailReport(forge(mailsTo(address).at(-1)!), what, { port: world.mailPort! });
      const unknown: MailReport = { is: 'bounced', reply: '550 no such user (#5.1.1)' };
      const complaint: MailReport = { is: 'complained', to: `complaints@${BOUNCE_DOMAIN}` };
      expect(await report(gone, unknown)).toBe(250);
      // Relays fold the case of addresses, and repeat mails.
      expect(await report(gone, unknown, (mail) => mail.replace(/<b-\w+/, (path) => path.toUpperCase()))).toBe(250);
      expect(await report(late, { ...unknown, action: 'delayed' })).toBe(250);
      expect(await report(late, { is: 'bounced', reply: '552 5.7.1 looks like spam' })).toBe(250);
      expect(await report(late, unknown, (mail) => mail.replace(/<b-\w{5}/, '<b-aaaaa'))).toBe(550);
      expect(await report(late, { ...complaint, feedback: 'not-spam' })).toBe(250);
      expect(await report(late, complaint, (mail) => mail.replace(/\.\w{5}(\w+@)/, '.aaaaa$1'))).toBe(250);
      expect(await report(angry, { ...complaint, to: 'someone@elsewhere.example' })).toBe(550);
      expect(await report(angry, complaint)).toBe(250);
      await world.settle();

      const statusOf = async (name: 'getBlacklisted' | 'getComplaint', address: string): Promise<number> =>
        (await world.reply(name, { address })).status;
      const all = [gone, late, angry];
      expect(await Promise.all(all.map((each) => statusOf('getBlacklisted', each)))).toEqual([200, 404, 404]);
      expect(await Promise.all(all.map((each) => statusOf('getComplaint', each)))).toEqual([404, 404, 200]);
      expect(await metricsIn(own, code)).toEqual({
        sends: 3,
        confirmed_sends: 3,
        deliveries: 1,
        hard_bounces: 1,
        soft_bounces: 1,
        rejects: 0,
        opens: 0,
        unsubs: 0,
        complaints: 1,
        errors: 0,
      });
      expect((await mailFiguresOf(code)).rows).toEqual({
        CONFIRMED_BY_DEVICE: 1,
        NO_CONFIRMATION: 2,
        BOUNCED_HARD: 1,
        BOUNCED_HARD_GENERAL: 1,
        BOUNCED_SOFT: 1,
        BOUNCED_SOFT_SPAM: 1,
      });
      expect(await brokenBy(own, code)).toEqual([]);
      const again = await sendOne(own, news);
      await world.settle();
      expect(await audienceOf(again)).toEqual({
        audience: 3,
        eligible: 1,
        sent: 1,
        excluded: { BOUNCED: 1, COMPLAINT: 1 },
      });
      expect(all.map((address) => mailsTo(address).length)).toEqual([1, 2, 1]);
    });

    it('is not tried again for contacts who unsubscribed meanwhile (R-E14, R-E18)', async () => {
      const own = await mailApplication();
      const names = ['stays', 'bounces', 'complains', 'leaves', 'goes'];
      const all = names.map((_, n) => mailAddress('throttled', 100 + n, 1, 'again.example'));
      const [, bounces, complains, leaves, goes] = all as [string, string, string, string, string];
      for (const email of all) await world.call('registerEmail', { application: own, email });
      const code = await sendOne(own, { content: '<p>Hello</p>', title: 'News', platforms: [EMAIL] });
      await world.settle();
      expect(all.map((address) => mailsTo(address).length)).toEqual([1, 1, 1, 1, 1]);
      await world.call('blacklistAddress', { address: bounces });
      await world.call('recordComplaint', { address: complains });
      await world.call('setEmailTags', { application: own, email: leaves, tags: { 'Unsubscribed Emails': true } });
      await world.call('deleteEmail', { application: own, email: goes });
      await world.settle();
      await world.advance(120);
      await world.settle();
      expect(all.map((address) => mailsTo(address).length)).toEqual([2, 1, 1, 1, 1]);
      expect(await audienceOf(code)).toEqual({ audience: 5, eligible: 5, sent: 2, excluded: {} });
      const { channels } = await funnelOf(code);
      const stages = channels.find(({ channel }) => channel === 'CHANNEL_EMAIL')!.funnel;
      const { errors } = stages.find(({ stage }) => stage === 'STAGE_ERRORS')!;
      const causes = errors.flatMap(({ category, codes }) =>
        codes.map(({ name, count }) => `${category} ${name} ${count}`),
      );
      expect(causes.toSorted()).toEqual([
        'NO_DEVICE no_device 1',
        'UNCLASSIFIED_ERROR complaint 1',
        'UNCLASSIFIED_ERROR unsubscribed 1',
      ]);
      expect((await mailFiguresOf(code)).rows).toEqual({
        CONFIRMED_BY_DEVICE: 1,
        NO_CONFIRMATION: 1,
        BOUNCED_HARD: 1,
        BOUNCED_HARD_SUPPRESSED: 1,
      });
      expect(await brokenBy(own, code)).toEqual([]);
    });

    it('has events, as have failed devices (R-EV2)', async () => {
      const subscriber = await startSubscriber();
      const own = await mailApplication({ android: true });
      const [eve, gone] = ['eve@events.example', mailAddress('dead', 3, 0, 'events.example')];
      for (const email of [eve, gone]) await world.call('registerEmail', { application: own, email });
      await test.register(own, 'expired', android(fcmToken('dead', 71)));
      await test.register(own, 'tokenless', { device_type: 3 });
      const events = ['Push Failed', 'Email Sent', 'Email Delivered', 'Email Bounced', 'Email Opened', 'Email Clicked'];
      const subscription = { endpoint: subscriber.endpoint, events, applications: [own] };
      const { id } = await world.call('createSubscription', subscription);
      const content = '<a href="https://shop.example/">Hello</a>';
      await sendOne(own, { content, title: 'News', devices: [eve, gone, 'expired', 'tokenless'] });
      await world.settle();
      const handed = { subject: 'News', from: 'shop@suite.example' };
      const sent = subscriber.received.map(({ hwid, eventName, payload }) => [
        hwid,
        eventName,
        JSON.parse(payload) as unknown,
      ]);
      expect(sent).toHaveLength(6);
      expect(sent).toEqual(
        expect.arrayContaining([
          [eve, 'Email Sent', handed],
          [eve, 'Email Delivered', {}],
          [gone, 'Email Sent', handed],
          [gone, 'Email Bounced', { type: 'hard', category: 'BOUNCED_HARD_GENERAL', code: '550', text: '5.1.1' }],
          ['expired', 'Push Failed', expect.objectContaining({ category: 'INVALID_TOKEN' })],
          ['tokenless', 'Push Failed', { category: 'NO_TOKEN', code: '0', name: 'no_token' }],
        ]),
      );
      const [, link = ''] = /<a href="([^"]+)"/.exec(htmlOf(mailsTo(eve)[0])) ?? [];
      for (let click = 0; click < 2; click++) {
        await world.advance(3);
        await fetch(link, { redirect: 'manual', headers: { 'user-agent': 'Mozilla/5.0 (Macintosh) Safari/605.1.15' } });
        await world.settle();
      }
      const read = subscriber.received.slice(6);
      const clicked = ['Email Clicked', '{"url":"https://shop.example/"}'];
      expect(read.map(({ eventName, payload }) => [eventName, payload])).toEqual([
        ['Email Opened', '{"machine":false}'],
        ...[clicked, clicked],
      ]);
      expect(new Set(read.map(({ uuid }) => uuid)).size).toBe(3);
      await world.call('deleteSubscription', { id });
      subscriber.down();
    });

    it('is created from a preset by createEmailMessage, for addresses that it registers', async () => {
      const preset = async (name: string, platforms: number[]): Promise<string> => {
        const content = { message: { de: '<p>Hallo</p>', en: '<p>Hello, {{Name}}</p>' }, title: 'News' };
        await world.call('createPreset', { name, applicationCode: application, content, segmentation: { platforms } });
        const { presets } = await world.call('listPresets', { application });
        return presets.find((each) => each.name === name)!.code;
      };
      const code = await preset('Mail', [EMAIL]);
      const eva = 'eva@suite.example';
      const notification = {
        send_date: 'now',
        preset: code,
        devices: [eva, clara, 'nobody'],
        use_auto_registration: true,
        subject: { de: 'Hallo', en: 'For {{Name}}' },
        dynamic_content_placeholders: { Name: 'Eva & Co' },
        attachments: [{ name: 'a.txt', content: 'b25l' }],
      };
      const send = (own: object): Promise<unknown> =>
        world.call('createEmailMessage', { application, notifications: [{ ...notification, ...own }] });
      expect(await send({})).toBeNull();
      await world.settle();
      expect(mailsTo(eva)).toHaveLength(1);
      expect(mailsTo(clara)).toEqual([]);
      expect(mailsTo(eva)[0]).toContain('<p>Hello, Eva &amp; Co</p>');
      expect(mailsTo(eva)[0]).toContain('Subject: For Eva & Co\r\n');
      const { items } = await world.call('messagesList', { filters: { application, source: 'EMAIL_API' } });
      expect(items).toMatchObject([{ status: 'DONE', platforms: ['EMAIL'] }]);
      await world.call('setCategories', { categories: ['News'] });
      const marketing = { email_type: 'marketing' };
      const refused = await world.reply('createEmailMessage', {
        application,
        notifications: [{ ...notification, ...marketing, email_category: 'Offers' }],
      });
      expect(refused.body).toMatchObject({ status_message: 'notifications[0].email_category: unknown category' });
      await world.call('setEmailTags', { application, email: eva, tags: { 'Unsubscribed Categories': ['News'] } });
      const capped = { capping_days: 1, capping_count: 1, users: [anna, eva], devices: null };
      await send({ ...marketing, ...capped, email_category: 'News' });
      await world.settle();
      const [newest] = (await world.call('messagesList', { filters: { application, source: 'EMAIL_API' } })).items;
      expect((await audienceOf(newest!.code)).excluded).toEqual({ FILTERED_BY_CATEGORY: 1, FREQUENCY_CAPPING: 1 });
      await world.call('setCategories', { categories: [] });
    });

    it('is sent by notify to the subscribers of its category (R-O4)', async () => {
      const mailsBefore = mailsTo(anna).length;
      await world.call('setEmailTags', { application, email: anna, tags: { 'Unsubscribed Categories': ['Offers'] } });
      const send = async (email_category: string): Promise<string> => {
        const { result } = await world.call('notify', {
          segment: { application, email_payload: { subject: 'Sale', body: '<p>Sale</p>' }, email_category },
        });
        await world.settle();
        return result.message_code;
      };
      const offers = await audienceOf(await send('Offers'));
      expect(offers.excluded).toMatchObject({ FILTERED_BY_CATEGORY: 1 });
      expect(mailsTo(anna)).toHaveLength(mailsBefore);
      await send('Sales');
      const mails = mailsTo(anna).slice(mailsBefore);
      expect(mails).toHaveLength(1);
      expect(mails[0]).toMatch(/^Subject: Sale\r$/m);
      expect(mails[0]).toContain('List-Unsubscribe-Post: ');
    });
  });
}
