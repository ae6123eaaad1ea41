import { createHmac } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import * as simulators from '@tidings/simulators';
import { brokenInvariants, funnelFigures, listedMessage, platform, type PlatformWorld } from '@tidings/testing';

const { smsNumber, smsReceiptNumber } = simulators;

const SMS = 18;

let world: PlatformWorld;
let application: string;

beforeAll(async () => {
  world = await platform({ simulators: { keepPayloads: true } });
  application = await world.application({ ios: false, android: false });
  await world.call('setDebug', { code: application });
});
afterAll(() => world?.stop());

const configure = (settings: Readonly<Record<string, string>>) =>
  world.call('configureApplication', { application, device_type: SMS, sms_sender: 'Shop', ...settings });
const bySmpp = () =>
  configure({
    sms_smpp_host: '127.0.0.1',
    sms_smpp_port: new URL(world.simulators.urlOf('smpp')).port,
    sms_system_id: 'shop',
    sms_password: 'secret',
  });
const byTwilio = () =>
  configure({ sms_http_url: world.simulators.urlOf('sms'), sms_http_account: 'AC17', sms_http_token: 'secret' });

async function send(content: string, number: string): Promise<string> {
  const notification = { send_date: 'now', content, devices: [number], use_auto_registration: true };
  const { Messages } = await world.call('createSMSMessage', { application, notifications: [notification] });
  await world.settle();
  return Messages[0]!;
}
const funnelOf = (code: string) => world.call('getDeliveryFunnel', { message_code: code });
const texts = (provider: string, token: string): unknown[] =>
  world.simulators.ledger
    .of(provider)
    .entries({ token, reason: 'accepted' })
    .map(({ payload }) => JSON.parse(payload!) as unknown);

async function receiptsTaken(count: number): Promise<void> {
  const taken = (): number => world.simulators.ledger.summary().smpp.byReason['receipt taken'] ?? 0;
  while (taken() < count) await delay(20);
  await world.settle();
}

describe('SMS', () => {
  it('is sent by SMPP in parts, and counts as delivered when all parts have arrived', async () => {
    await bySmpp();
    const [arriving, lost, dead] = [smsNumber('accepted', 1), smsReceiptNumber('undelivered', 2), smsNumber('dead', 3)];
    const long = 'The code is 4711. '.repeat(10);
    const code = await send(long, arriving);
    const undelivered = await send('Hello', lost);
    const refused = await send('Hello', dead);
    expect(texts('smpp', arriving)).toMatchObject([
      { from: 'Shop', part: 1, parts: 2 },
      { part: 2, parts: 2 },
    ]);
    await receiptsTaken(3);
    const funnel = await funnelOf(code);
    expect(funnelFigures(funnel, SMS, 'OTHER')).toMatchObject({ audience: 1, sent: 1, failed: 0, confirmed: 1 });
    const listed = await listedMessage(world, application, code);
    expect(listed).toMatchObject({ source: 'API', platforms: ['SMS'] });
    expect(listed?.push_info?.metrics).toMatchObject([{ platform: SMS, sends: 1, deliveries: 1 }]);
    expect(brokenInvariants(funnel, listed?.push_info?.metrics ?? [])).toEqual([]);
    expect(funnelFigures(await funnelOf(undelivered), SMS, 'OTHER')).toMatchObject({ sent: 1, confirmed: 0 });
    expect(funnelFigures(await funnelOf(refused), SMS, 'OTHER')).toMatchObject({
      sent: 0,
      errors: { INVALID_TOKEN: 1 },
    });
  });

  it("is sent by Twilio's API, also as MMS, to contacts that notify and createMessage list", async () => {
    await byTwilio();
    const number = smsNumber('accepted', 10);
    await world.call('registerSmsNumber', { application, number });
    const notification = { content: { default: 'Hello {{Name|CapitalizeFirst|you}}' }, to: [number], platforms: [SMS] };
    await world.call('createMessage', { application, notifications: [notification] });
    await world.settle();
    const sms = { body: 'Text', subject: 'Subject', file_urls: ['https://example.com/a.png'] };
    const payload = { content: { localized_content: { default: { default: { title: 'Push' }, sms } } } };
    const hwids = { list: [number] };
    await world.call('notify', { transactional: { application, platforms: ['SMS'], hwids, payload } });
    await world.settle();
    expect(texts('sms', number)).toMatchObject([
      { from: 'Shop', body: 'Hello you', media: [] },
      { body: 'Subject\nText', media: ['https://example.com/a.png'] },
    ]);
  });

  it('counts as delivered by the signed reports of Twilio', async () => {
    await byTwilio();
    const number = smsNumber('accepted', 11);
    const code = await send('Hello', number);
    const [{ callback }] = texts('sms', number) as [{ readonly callback: string }];
    const form = { MessageSid: 'SM1', MessageStatus: 'delivered', To: number };
    const fields = Object.entries(form)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .flat()
      .join('');
    const report = (token: string) => {
      const { pathname, search } = new URL(callback);
      const signature = createHmac('sha1', token)
        .update(callback + fields)
        .digest('base64');
      const headers = { 'x-twilio-signature': signature };
      return fetch(world.url + pathname + search, { method: 'POST', headers, body: new URLSearchParams(form) });
    };
    expect((await report('wrong')).status).toBe(403);
    await world.settle();
    expect(funnelFigures(await funnelOf(code), SMS, 'OTHER')).toMatchObject({ sent: 1, confirmed: 0 });
    expect((await report('secret')).status).toBe(200);
    await world.settle();
    expect(funnelFigures(await funnelOf(code), SMS, 'OTHER')).toMatchObject({ sent: 1, confirmed: 1 });
    expect((await listedMessage(world, application, code))?.push_info?.metrics).toMatchObject([{ deliveries: 1 }]);
  });

  it('reaches no contact without settings, and none with an MMS by SMPP', async () => {
    await bySmpp();
    const number = smsNumber('accepted', 20);
    await world.call('registerSmsNumber', { application, number });
    const payload = { content: { localized_content: { default: { sms: { body: 'x', subject: 'Subject' } } } } };
    const request = { application, platforms: ['SMS'], hwids: { list: [number] }, payload };
    const { result } = await world.call('notify', { transactional: request });
    await world.settle();
    const errors = { INVALID_CONFIGURATION: 1 };
    expect(funnelFigures(await funnelOf(result.message_code), SMS, 'OTHER')).toMatchObject({ sent: 0, errors });
    expect(texts('smpp', number)).toEqual([]);
  });
});
