// The service worker: shows pushes, and reports their deliveries and opens, as the client SDKs of browsers do.
importScripts('/demo/web-push/device-calls.js');

const PAGE = '/demo/web-push';

self.addEventListener('install', () => self.skipWaiting());
self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()));
self.addEventListener('push', (event) => event.waitUntil(received(event.data?.json() ?? {})));
self.addEventListener('notificationclick', (event) => event.waitUntil(opened(event.notification, event.action)));

/** Tells every open page. */
async function tell(event, details) {
  const pages = await self.clients.matchAll({ type: 'window', includeUncontrolled: true });
  for (const page of pages) page.postMessage({ event, ...details });
}

/** Does one of the steps after a push. A step that fails stops no other one, and the page shows why. */
async function step(event, work, details = {}) {
  try {
    await work();
    await tell(event, details);
  } catch (error) {
    await tell('failed', { step: event, reason: error.message });
  }
}

async function received(push) {
  const { p: hash, body } = push;
  await Promise.all([
    step('shown', () => show(push), { text: body }),
    // Messages without a hash are not counted.
    hash && step('delivery reported', () => callAsDevice('messageDeliveryEvent', { hash })),
  ]);
}

/** Fields that this worker does not know are options of the notification. */
function show({
  body,
  header,
  i: icon,
  image,
  l: link,
  p: hash,
  u,
  md,
  buttons,
  pwcid,
  pw_inbox,
  inbox_params,
  ...options
}) {
  const choices = JSON.parse(buttons ?? '[]');
  return self.registration.showNotification(header ?? 'Tidings', {
    ...options,
    body,
    icon,
    image,
    actions: choices.map(({ title }, index) => ({ action: String(index), title })),
    data: { hash, link, links: choices.map(({ url }) => url) },
  });
}

async function opened(notification, action = '') {
  const { hash, link, links } = notification.data;
  notification.close();
  const url = (action === '' ? undefined : links[Number(action)]) ?? link ?? PAGE;
  await Promise.all([
    hash && step('open reported', () => callAsDevice('pushStat', { hash })),
    step('page opened', () => visit(url)),
  ]);
}

/** Shows a page that is open already, or opens it. */
async function visit(url) {
  const pages = await self.clients.matchAll({ type: 'window', includeUncontrolled: true });
  const { href } = new URL(url, self.location.href);
  const page = pages.find((each) => each.url === href);
  return page ? page.focus() : self.clients.openWindow(href);
}
