import { createServer } from 'node:http';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import {
  generateServiceAccount,
  generateVapidKeys,
  publicKeyOf,
  type WebPushSubscription,
  webPushSubscription,
} from '@tidings/simulators';
import {
  buildAll,
  describeWithBrowser,
  funnelFigures,
  type Parameters,
  platform,
  type StoredWorld,
  type TestBrowser,
  until,
} from '@tidings/testing';

type Page = Awaited<ReturnType<TestBrowser['browser']['newPage']>>;

const CHROME = 11;
const repository = new URL('../../../../', import.meta.url);
const PATHS: Readonly<Record<string, string>> = {
  '/': 'examples/web/index.html',
  '/tidings.js': 'libs/web-sdk/dist/tidings.js',
  '/tidings-worker.js': 'libs/web-sdk/dist/tidings-worker.js',
};
const TYPES = { html: 'text/html', js: 'text/javascript' } as const;

/** A site of another origin than the gateway. */
async function startSite() {
  const server = createServer((request, response) => {
    const path = PATHS[new URL(request.url!, 'http://site').pathname];
    if (path === undefined) return void response.writeHead(404).end();
    const type = TYPES[path.endsWith('.html') ? 'html' : 'js'];
    void readFile(new URL(path, repository)).then((file) =>
      response.writeHead(200, { 'content-type': type }).end(file),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

let world: StoredWorld;
let site: Awaited<ReturnType<typeof startSite>>;
let application: string;
beforeAll(async () => {
  await buildAll();
  [world, site] = await Promise.all([platform({ simulators: { keepPayloads: true } }), startSite()]);
  application = await world.application();
  await world.call('setDebug', { code: application });
  await world.call('addTag', { tag: { name: 'Topic', type: 2 } });
});
afterAll(() => {
  site?.close();
  return world?.stop();
});

/** The key that browsers have to subscribe with from now on. */
async function configureKey(): Promise<string> {
  const account = generateServiceAccount(world.simulators.tokenUrl);
  const { publicKey, privateKey } = generateVapidKeys();
  world.simulators.keys.register({ google: [publicKeyOf(account)], vapid: [publicKey] });
  await world.call('configureApplication', {
    application,
    device_type: CHROME,
    chrome_fcm_service_account: account,
    chrome_vapid_key: publicKey,
    chrome_vapid_private_key: privateKey,
  });
  return publicKey;
}

async function send(hwid: string, more: Parameters = {}): Promise<string> {
  const notification = { content: 'Hello', chrome_title: 'News', devices: [hwid], minimize_link: 0, ...more };
  const { Messages } = await world.call('createMessage', { application, notifications: [notification] });
  await world.settle();
  return Messages[0]!;
}

const figuresOf = async (message: string) =>
  funnelFigures(await world.call('getDeliveryFunnel', { message_code: message }), CHROME, 'WEB_PUSH');

/** As the simulated push service has decrypted it with the keys of the subscription. */
function payloadAt({ path }: WebPushSubscription): string {
  const entries = world.simulators.ledger.of('webpush').entries({ token: path, limit: Infinity });
  return entries.at(-1)!.payload!;
}

const subscriptions = Array.from({ length: 4 }, (_, n) => webPushSubscription('accepted', n + 1));

await describeWithBrowser('the client of web push in a browser', (chromium) => {
  const errors: string[] = [];

  /** Chromium gets these subscriptions in turn, in place of those of a push service. They outlive a page, as real ones do. */
  const replacePushService = (page: Page) =>
    page.evaluateOnNewDocument(`{
      const all = ${JSON.stringify(
        subscriptions.map(({ path, publicKey: p256dh, authToken: auth }) => ({
          endpoint: world.simulators.webPushUrl + path,
          keys: { p256dh, auth },
        })),
      )};
      const bytes = (key) => Uint8Array.from(atob(key.replace(/-/g, '+').replace(/_/g, '/')), (c) => c.charCodeAt(0)).buffer;
      const current = () => JSON.parse(localStorage.subscription ?? 'null');
      const shown = ({ n, key }) => ({
        options: { userVisibleOnly: true, applicationServerKey: bytes(key) },
        unsubscribe: async () => { localStorage.subscription = 'null'; return true; },
        toJSON: () => all[n],
      });
      PushManager.prototype.getSubscription = async () => (current() === null ? null : shown(current()));
      PushManager.prototype.subscribe = async ({ userVisibleOnly, applicationServerKey: key }) => {
        if (!userVisibleOnly || !/^B[\\w-]{86}$/.test(key)) throw new Error('not a VAPID key');
        const n = Number(localStorage.subscriptions ?? 0);
        localStorage.subscriptions = n + 1;
        localStorage.subscription = JSON.stringify({ n, key });
        return shown(current());
      };
      let permission = localStorage.permission ?? 'default';
      Object.defineProperty(Notification, 'permission', { get: () => permission });
      Notification.requestPermission = async () => (permission = localStorage.permission = 'granted');
      // Code that a test evaluates counts as a gesture.
      addEventListener('load', () => {
        if (permission === 'default') globalThis.withoutGesture = device.subscribe().catch(({ code }) => code);
      });
    }`);

  const log = (page: Page, text: string) =>
    page.waitForFunction(`document.getElementById('log').textContent.includes(${JSON.stringify(text)})`);

  const visit = async (page: Page): Promise<void> => {
    const settings = new URLSearchParams({ url: world.url, application, token: world.secrets.device });
    await page.goto(`${site.url}/?${settings.toString()}`);
  };

  async function openedPage(): Promise<Page> {
    const page = await chromium().browser.newPage();
    page.on('pageerror', (error) => errors.push(String(error)));
    await replacePushService(page);
    await visit(page);
    return page;
  }

  const hwidIn = async (page: Page): Promise<string> => (await page.evaluate('device.hwid()')) as string;

  async function inWorker(code: string): Promise<unknown> {
    const target = await chromium().browser.waitForTarget(
      (each) => String(each.type()) === 'service_worker' && each.url() === `${site.url}/tidings-worker.js`,
    );
    return (await target.worker())!.evaluate(code);
  }

  /** A headless shell refuses notifications and windows of workers: both are kept instead. */
  const replaceDisplay = () =>
    inWorker(`
      globalThis.kept = [];
      globalThis.opened = [];
      registration.showNotification = async (title, options) => {
        kept.push({ title, ...options, close() { kept.splice(kept.indexOf(this), 1); } });
      };
      registration.getNotifications = async () => kept;
      clients.openWindow = async (address) => { opened.push(address); };
      WindowClient.prototype.focus = async function () { opened.push('focused ' + new URL(this.url).pathname); return this; };
    `);

  async function deliver(page: Page, data: string): Promise<void> {
    const session = await page.createCDPSession();
    const registered = new Promise<string>((resolve) => {
      session.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
        const found = registrations.find(({ scopeURL }) => scopeURL === `${site.url}/`);
        if (found) resolve(found.registrationId);
      });
    });
    await session.send('ServiceWorker.enable');
    await session.send('ServiceWorker.deliverPushMessage', {
      origin: site.url,
      registrationId: await registered,
      data,
    });
    await session.detach();
  }

  /** Resolves once the worker has handled an event of its own, which a browser would make. */
  const dispatchInWorker = (type: string, properties = '') =>
    inWorker(`(async () => {
      const work = [];
      const event = new ExtendableEvent('${type}');
      Object.defineProperties(event, { waitUntil: { value: (each) => work.push(each) }, ${properties} });
      dispatchEvent(event);
      await Promise.all(work);
    })()`);
  const click = (action = '') =>
    dispatchInWorker('notificationclick', `notification: { value: kept[0] }, action: { value: '${action}' }`);

  const isRegistered = async (hwid: string) =>
    (await world.call('checkDevice', { application, hwid })).push_token_exist;

  it('subscribes on a click, receives, reports, renews, and unsubscribes', async () => {
    const first = await configureKey();
    const page = await openedPage();
    await log(page, 'This browser is unsubscribed');
    const hwid = await hwidIn(page);

    expect(await page.evaluate('withoutGesture')).toBe('gesture');
    expect(await world.call('checkDevice', { application, hwid })).toMatchObject({ exist: false });

    await page.click('#subscribe');
    await log(page, `Subscribed as ${hwid}`);
    expect(await isRegistered(hwid)).toBe(true);
    expect(await page.evaluate(`JSON.parse(localStorage.subscription).key`)).toBe(first);

    await page.type('#user', 'anna');
    await page.type('#topic', 'Books');
    await page.click('#save');
    await log(page, '"Topic":"Books"');

    const message = await send(hwid, {
      link: `${site.url}/#news`,
      inbox_days: 2,
      chrome_button_text1: 'Sale',
      chrome_button_url1: `${site.url}/#sale`,
    });
    expect(await figuresOf(message)).toMatchObject({ audience: 1, sent: 1, confirmed: 0, opened: 0 });
    await replaceDisplay();
    await deliver(page, payloadAt(subscriptions[0]!));
    await log(page, 'Received: Hello');
    await until(async () => (await figuresOf(message)).confirmed === 1);
    expect(await figuresOf(message)).toMatchObject({ opened: 0 });
    const shown = 'kept.map(({ title, body, actions }) => ({ title, body, actions }))';
    expect(await inWorker(shown)).toEqual([
      { title: 'News', body: 'Hello', actions: [{ action: '0', title: 'Sale' }] },
    ]);

    await page.click('#inbox');
    await log(page, 'Inbox, 1 new: Hello (delivered)');
    await click('0');
    expect(await inWorker('[kept.length, opened]')).toEqual([0, [`${site.url}/#sale`]]);
    await world.settle();
    expect(await figuresOf(message)).toMatchObject({ sent: 1, confirmed: 1, opened: 1 });
    await page.click('#inbox');
    await log(page, 'Inbox, 0 new: Hello (opened)');

    // Another key: push services would refuse pushes to the first subscription.
    const second = await configureKey();
    await visit(page);
    await log(page, 'This browser is subscribed');
    expect(await page.evaluate(`JSON.parse(localStorage.subscription)`)).toEqual({ n: 1, key: second });
    const later = await send(hwid, { content: 'Again' });
    expect(JSON.parse(payloadAt(subscriptions[1]!))).toMatchObject({ body: 'Again' });
    expect(await figuresOf(later)).toMatchObject({ sent: 1, failed: 0 });

    // Without a link, the window of the site is focused.
    await replaceDisplay();
    await deliver(page, payloadAt(subscriptions[1]!));
    await log(page, 'Received: Again');
    await click();
    expect(await inWorker('opened')).toEqual(['focused /']);
    await world.settle();
    expect(await figuresOf(later)).toMatchObject({ confirmed: 1, opened: 1 });

    expect(await figuresOf(await send(hwid, { devices: undefined, users: ['anna'] }))).toMatchObject({ audience: 1 });
    await page.evaluate(`Promise.all([device.setUser(null), device.setLanguage('de'), device.setBadge(3)])`);
    expect(await figuresOf(await send(hwid, { devices: undefined, users: ['anna'] }))).toMatchObject({ audience: 0 });
    expect(await page.evaluate('device.getTags()')).toMatchObject({ Language: 'de', Topic: 'Books' });

    await page.click('#unsubscribe');
    await log(page, 'Unsubscribed');
    expect(await isRegistered(hwid)).toBe(false);
    expect(await page.evaluate('localStorage.subscription')).toBe('null');
    expect(await page.evaluate('device.state()')).toBe('unsubscribed');
    expect(await world.call('getTags', { application, hwid })).toMatchObject({ result: { Topic: 'Books' } });
    expect(errors).toEqual([]);
    await page.close();
  });

  it('sends reports of offline times with the next visit, and renews a subscription that the browser lost', async () => {
    await configureKey();
    const page = await openedPage();
    const hwid = await hwidIn(page);
    await page.click('#subscribe');
    await log(page, `Subscribed as ${hwid}`);
    const message = await send(hwid);

    await replaceDisplay();
    const storedReports = `new Promise((resolve) => {
      const opening = indexedDB.open('tidings', 1);
      opening.onsuccess = () => {
        const counting = opening.result.transaction('reports').objectStore('reports').count();
        counting.onsuccess = () => resolve(counting.result);
      };
    })`;
    await inWorker(`
      globalThis.online = { fetch, setTimeout };
      globalThis.fetch = () => Promise.reject(new TypeError('Failed to fetch'));
      globalThis.setTimeout = (work) => queueMicrotask(work);
    `);
    await deliver(page, payloadAt(subscriptions[2]!));
    await until(async () => (await inWorker(storedReports)) === 1);
    expect(await inWorker('kept.length')).toBe(1);
    expect(await figuresOf(message)).toMatchObject({ sent: 1, confirmed: 0 });
    await inWorker('Object.assign(globalThis, online)');
    await visit(page);
    await until(async () => (await inWorker(storedReports)) === 0);
    await world.settle();
    expect(await figuresOf(message)).toMatchObject({ confirmed: 1, opened: 0 });

    const { path, publicKey, authToken } = subscriptions[3]!;
    await inWorker(`
      PushManager.prototype.getSubscription = async () => null;
      PushManager.prototype.subscribe = async () => ({
        toJSON: () => ({
          endpoint: '${world.simulators.webPushUrl}${path}',
          keys: { p256dh: '${publicKey}', auth: '${authToken}' },
        }),
      });
    `);
    await dispatchInWorker('pushsubscriptionchange');
    const later = await send(hwid, { content: 'Renewed' });
    expect(JSON.parse(payloadAt(subscriptions[3]!))).toMatchObject({ body: 'Renewed' });
    expect(await figuresOf(later)).toMatchObject({ sent: 1, failed: 0 });
    expect(errors).toEqual([]);
    await page.close();
  });
});
