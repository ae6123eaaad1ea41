import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type WebPushSubscription, webPushSubscription } from '@tidings/simulators';
import {
  buildAll,
  describeWithBrowser,
  modeUnderTest,
  platform,
  type StoredWorld,
  type TestBrowser,
  until,
} from '@tidings/testing';
import { webPushModules } from './web-push-page.ts';

type Page = Awaited<ReturnType<TestBrowser['browser']['newPage']>>;
type Json = Readonly<Record<string, unknown>>;

const HOME = '/demo/web-push';

let world: StoredWorld;
beforeAll(async () => {
  await buildAll();
  world = await platform({ simulators: { keepPayloads: true }, modules: webPushModules({ host: '127.0.0.1' }) });
});
afterAll(() => world?.stop());

async function post(route: string, body: unknown, headers: Readonly<Record<string, string>> = {}) {
  const reply = await world.client.http.send(`${HOME}/${route}`, {
    method: 'POST',
    headers: { origin: world.url, ...headers },
    body,
  });
  return { ...reply, body: reply.body as Json };
}

const isServed = modeUnderTest === 'embedded';

/** A suite of the other mode is no gap of this machine. */
const describeIf = (isEnabled: boolean, title: string, suite: () => void): void => {
  if (isEnabled) describe(title, suite);
};

describeIf(!isServed, 'the page of web push, in the distributed mode', () => {
  it.each(['', '/page.js', '/tidings.js', '/tidings-worker.js'])('is not found: %s', async (path) => {
    expect(await world.client.http.send(HOME + path)).toMatchObject({ status: 404 });
  });

  it.each(['open', 'send', 'explain'])('has no action: %s', async (route) => {
    expect(await post(route, {})).toMatchObject({ status: 404 });
  });
});

describeIf(isServed, 'the page of web push', () => {
  it('returns a device token for its own application, and for no other', async () => {
    const { status, body } = await post('open', {});
    expect(status).toBe(200);
    expect(Object.keys(body).sort()).toEqual(['application', 'token']);
    const call = async (method: string, application: unknown, more: Json = {}) => {
      const headers = { authorization: `Token ${String(body['token'])}` };
      const request = { application, hwid: 'x', ...more };
      const reply = await world.client.http.send(`/json/1.3/${method}`, { method: 'POST', headers, body: { request } });
      return reply.body as Json;
    };
    expect(await call('getConfig', body['application'])).toMatchObject({
      response: { features: { vapid_key: expect.stringMatching(/^B[\w-]{86}$/) as unknown } },
    });
    const other = await world.application();
    expect((await call('getConfig', other))['status_code']).not.toBe(200);
    expect((await call('createMessage', body['application'], { auth: body['token'] }))['status_code']).not.toBe(200);
  });

  it('creates one application, and another one when it was deleted', async () => {
    const opened = await Promise.all(Array.from({ length: 5 }, () => post('open', {})));
    const codes = opened.map(({ body }) => body['application']);
    expect(new Set(codes).size).toBe(1);
    await world.call('deleteApplication', { application: codes[0] });
    await world.settle();
    const { body } = await post('open', {});
    expect(body['application']).not.toBe(codes[0]);
    const { applications } = await world.call('getApplications');
    expect(Object.values(applications).filter((title) => title === 'Web push demo')).toHaveLength(1);
  });

  it.each<[string, string, Readonly<Record<string, string>>]>([
    ['a name that leads here', 'open', { host: 'rebound.example' }],
    ['a page of another site', 'open', { origin: 'https://stranger.example' }],
    ['a page of another port', 'send', { origin: 'http://127.0.0.1:1' }],
    ['no page at all', 'send', { origin: '' }],
    ['a proxy', 'explain', { 'x-forwarded-for': '198.51.100.7' }],
  ])('does not act for %s', async (_, route, headers) => {
    const reply = await post(route, { hwid: 'x', message: 'x' }, headers);
    expect(reply.status).toBe(403);
    expect(reply.headers['access-control-allow-origin']).toBeUndefined();
  });

  it('is not shown under another name', async () => {
    const headers = { host: `rebound.example:${new URL(world.url).port}` };
    for (const path of ['', '/tidings-worker.js']) {
      expect(await world.client.http.send(HOME + path, { headers })).toMatchObject({ status: 403 });
    }
  });

  it.each([{}, { hwid: '' }, { hwid: 'x'.repeat(256) }, { hwid: 1 }, { hwid: 'x', content: 'y' }, []])(
    'refuses %j as a recipient',
    async (body) => {
      expect(await post('send', body)).toMatchObject({ status: 400 });
    },
  );

  it('refuses forms, which pages of other sites send without a preflight', async () => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    expect(await post('send', 'hwid=x', headers)).toMatchObject({ status: 415 });
  });
});

if (isServed) {
  await describeWithBrowser('the page of web push in a browser', (chromium) => {
    const log = (page: Page, text: string) =>
      page.waitForFunction(`document.getElementById('log').textContent.includes(${JSON.stringify(text)})`);

    async function opened(): Promise<{ readonly page: Page; readonly errors: readonly string[] }> {
      await chromium().browser.defaultBrowserContext().overridePermissions(world.url, ['notifications']);
      const page = await chromium().browser.newPage();
      const errors: string[] = [];
      page.on('pageerror', (error) => errors.push(String(error)));
      page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
      return { page, errors };
    }

    /** Grants what a headless browser refuses. */
    const subscribeAt = (page: Page, { path, publicKey, authToken }: WebPushSubscription) =>
      page.evaluateOnNewDocument(`{
        const made = {
          options: {},
          unsubscribe: async () => ((current = null), true),
          toJSON: () => ({
            endpoint: ${JSON.stringify(world.simulators.webPushUrl + path)},
            keys: { p256dh: '${publicKey}', auth: '${authToken}' },
          }),
        };
        let current = null;
        PushManager.prototype.subscribe = async ({ userVisibleOnly, applicationServerKey }) => {
          if (!userVisibleOnly || !/^B[\\w-]{86}$/.test(applicationServerKey)) throw new Error('not a VAPID key');
          return (current = made);
        };
        PushManager.prototype.getSubscription = async () => current;
        Notification.requestPermission = async () => 'granted';
      }`);

    async function inWorker(code: string): Promise<unknown> {
      const target = await chromium().browser.waitForTarget(
        (each) => String(each.type()) === 'service_worker' && each.url() === `${world.url}${HOME}/tidings-worker.js`,
      );
      return (await target.worker())!.evaluate(code);
    }

    /** A headless shell denies notifications: they are kept instead. */
    const keepShown = () =>
      inWorker(`if (Notification.permission !== 'granted') {
        const kept = [];
        registration.showNotification = async (title, { body, data }) => {
          kept.push({ title, body, data, close: () => kept.shift() });
        };
        registration.getNotifications = async () => kept;
      }`);

    async function deliver(page: Page, data: string): Promise<void> {
      const session = await page.createCDPSession();
      const registered = new Promise<string>((resolve) => {
        session.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
          const found = registrations.find(({ scopeURL }) => scopeURL === world.url + HOME);
          if (found) resolve(found.registrationId);
        });
      });
      await session.send('ServiceWorker.enable');
      await session.send('ServiceWorker.deliverPushMessage', {
        origin: world.url,
        registrationId: await registered,
        data,
      });
      await session.detach();
    }

    it('reports that a browser without a push service cannot subscribe', async () => {
      const { page } = await opened();
      await page.evaluateOnNewDocument(`Notification.requestPermission = async () => 'granted';`);
      await page.goto(world.url + HOME);
      await page.click('#subscribe');
      await log(page, 'The browser cannot subscribe: ');
      await log(page, 'has no push service');
      expect(await page.evaluate(`document.getElementById('send').disabled`)).toBe(true);
      await page.close();
    });

    it('subscribes, receives a push, shows it, and reports its delivery and its open', async () => {
      const { page, errors } = await opened();
      const subscription = webPushSubscription('accepted', 1);
      await subscribeAt(page, subscription);
      await page.goto(world.url + HOME);
      await page.click('#subscribe');
      await log(page, `Subscribed at ${world.simulators.webPushUrl}`);
      await page.waitForSelector('#send:enabled');
      await page.click('#send');
      await log(page, 'The provider accepted the push');
      const [entry] = world.simulators.ledger.of('webpush').entries({ token: subscription.path });
      expect(JSON.parse(entry!.payload!)).toMatchObject({
        body: 'This message came through Tidings',
        header: 'Tidings',
        l: `${world.url}${HOME}`,
        p: expect.any(String) as unknown,
      });

      await keepShown();
      await deliver(page, entry!.payload!);
      await log(page, 'The service worker received: This message came through Tidings');
      const shown = `registration.getNotifications().then((all) => all.map(({ title, body }) => ({ title, body })))`;
      expect(await inWorker(shown)).toEqual([{ title: 'Tidings', body: 'This message came through Tidings' }]);

      const { hwid, application } = (await page.evaluate(
        `openDevice().then(async (device) => ({ hwid: await device.hwid(), ...(await ask('open')) }))`,
      )) as { hwid: string; application: string };
      const text = (await page.evaluate(`document.getElementById('log').textContent`)) as string;
      const [, message] = /Message ([\dA-F-]+) is accepted/.exec(text)!;
      const outcome = async () => (await world.call('explain', { application, message, hwid })).outcomes[0]!;
      await until(async () => (await outcome()).delivered_in_window);
      expect(await outcome()).toMatchObject({ opened_in_window: false });

      // A person's click cannot be simulated: the worker gets an event of its own.
      await inWorker(`registration.getNotifications().then(async ([notification]) => {
        const work = [];
        const event = new ExtendableEvent('notificationclick');
        Object.defineProperties(event, {
          notification: { value: notification },
          action: { value: '' },
          waitUntil: { value: (each) => work.push(each) },
        });
        dispatchEvent(event);
        await Promise.all(work);
      })`);
      expect(await inWorker(shown)).toEqual([]);
      expect(errors).toEqual([]);

      await world.settle();
      expect(await world.call('explain', { application, message, hwid })).toMatchObject({
        answer: 'SENT',
        outcomes: [{ delivered_in_window: true, opened_in_window: true }],
      });

      await page.click('#unsubscribe');
      await log(page, 'Unsubscribed');
      expect(await world.call('checkDevice', { application, hwid })).toMatchObject({ push_token_exist: false });
      await page.close();
    });

    it('shows why a push failed', async () => {
      const { page } = await opened();
      await subscribeAt(page, webPushSubscription('dead', 1));
      await page.goto(world.url + HOME);
      await page.click('#subscribe');
      await page.waitForSelector('#send:enabled');
      await page.click('#send');
      await log(page, 'Sending failed: INVALID_TOKEN');
      await page.close();
    });
  });
}
