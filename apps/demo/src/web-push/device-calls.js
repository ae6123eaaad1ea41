// The calls of a device, for the page and its service worker: both know the device by the same stored record.
const DEVICE_CACHE = 'tidings-web-push-demo';
const DEVICE_KEY = '/demo/web-push/device';

/** The device of this browser: `{application, hwid, token}`; undefined before it subscribes. */
async function storedDevice() {
  const cache = await caches.open(DEVICE_CACHE);
  const stored = await cache.match(DEVICE_KEY);
  return stored && (await stored.json());
}

async function storeDevice(device) {
  const cache = await caches.open(DEVICE_CACHE);
  await cache.put(DEVICE_KEY, new Response(JSON.stringify(device)));
}

/** Calls a method of the API as the device; throws its refusal. */
async function callAsDevice(method, parameters = {}) {
  const device = await storedDevice();
  if (!device) throw new Error(`${method}: this browser is not subscribed`);
  const { application, hwid, token } = device;
  const reply = await fetch(`/json/1.3/${method}`, {
    method: 'POST',
    headers: { authorization: `Token ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ request: { application, hwid, ...parameters } }),
  });
  const { status_code: status, status_message: message, response } = await reply.json();
  if (status !== 200) throw new Error(`${method}: ${message}`);
  return response;
}
