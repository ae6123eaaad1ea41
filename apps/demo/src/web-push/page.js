// Subscribes this browser as a device, and asks the server to send it a push.
const HOME = '/demo/web-push';
const HWID_KEY = 'tidings-web-push-demo-hwid';
const [CHROME, FIREFOX] = [11, 12];
const LOOK_EVERY_MS = 1000;
const LOOKS = 30;

const element = (id) => document.getElementById(id);

function say(text, kind = 'news') {
  const line = document.createElement('li');
  line.className = kind;
  line.textContent = text;
  element('log').append(line);
}

/** Runs the work of a button, which is off meanwhile, and shows why it failed. */
function onClick(id, work) {
  element(id).addEventListener('click', async () => {
    element(id).disabled = true;
    try {
      await work();
    } catch (error) {
      say(error.message, 'problem');
    }
    await refresh();
  });
}

/** Calls a route of this page's own server. */
async function ask(route, parameters = {}) {
  const reply = await fetch(`${HOME}/${route}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(parameters),
  });
  const answer = await reply.json();
  if (!reply.ok) throw new Error(`${route}: ${answer.message}`);
  return answer;
}

function hwidOfBrowser() {
  const known = localStorage.getItem(HWID_KEY);
  const hwid = known ?? crypto.randomUUID();
  if (known === null) localStorage.setItem(HWID_KEY, hwid);
  return hwid;
}

const registration = () => navigator.serviceWorker?.getRegistration(HOME);
const subscription = async () => (await registration())?.pushManager?.getSubscription();

async function refresh() {
  const isSubscribed = Boolean(await subscription());
  const isPossible = 'serviceWorker' in navigator && 'PushManager' in window && 'Notification' in window;
  element('subscribe').disabled = isSubscribed || !isPossible;
  for (const id of ['send', 'unsubscribe']) element(id).disabled = !isSubscribed;
  return isPossible;
}

/** Loads the application and a token, which is valid for a day, for the page and its worker. */
async function openDevice() {
  const { application, token } = await ask('open');
  const device = { application, token, hwid: hwidOfBrowser() };
  await storeDevice(device);
  return device;
}

async function pushSubscription(worker, key) {
  try {
    return await worker.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key });
  } catch (error) {
    throw new Error(
      `The browser could not subscribe: ${error.message}. It needs a push service, which a browser without internet, a private window or a headless browser has not.`,
    );
  }
}

async function subscribe() {
  const permission = await Notification.requestPermission();
  if (permission !== 'granted') say('Notifications are blocked for this page: allow them in its settings.', 'problem');
  const { application } = await openDevice();
  say(`Application ${application}`);
  const worker = await navigator.serviceWorker.register(`${HOME}/worker.js`, { scope: HOME });
  await navigator.serviceWorker.ready;
  const { features } = await callAsDevice('getConfig');
  const made = await pushSubscription(worker, features.vapid_key);
  const { endpoint, keys } = made.toJSON();
  await callAsDevice('registerDevice', {
    device_type: navigator.userAgent.includes('Firefox/') ? FIREFOX : CHROME,
    push_token: endpoint,
    public_key: keys.p256dh,
    auth_token: keys.auth,
    language: navigator.language.slice(0, 2),
  });
  say(`Subscribed at ${new URL(endpoint).origin}`);
}

/** Asks what became of a push until that is known, or for half a minute. */
async function outcomeOf(message) {
  const { hwid } = await storedDevice();
  for (let looks = 0; looks < LOOKS; looks++) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
    const { answer, explanation } = await ask('explain', { message, hwid });
    if (answer === 'SENT' || answer === 'FAILED' || answer === 'NOT_ADDRESSED') return { answer, explanation };
  }
  return { answer: 'IN_FLIGHT', explanation: 'The push is still waiting: the push service may be unreachable.' };
}

async function send() {
  const { hwid } = await openDevice();
  const { message } = await ask('send', { hwid });
  say(`Message ${message} is accepted`);
  const { answer, explanation } = await outcomeOf(message);
  say(explanation, answer === 'SENT' ? 'news' : 'problem');
}

async function unsubscribe() {
  await (await subscription()).unsubscribe();
  await callAsDevice('unregisterDevice');
  say('Unsubscribed');
}

onClick('subscribe', subscribe);
onClick('send', send);
onClick('unsubscribe', unsubscribe);
navigator.serviceWorker?.addEventListener('message', ({ data: { event, text, step, reason } }) => {
  if (event === 'failed') say(`The service worker failed (${step}): ${reason}`, 'problem');
  else say(text === undefined ? `Service worker: ${event}` : `Service worker: ${event}: ${text}`);
});
refresh().then((isPossible) => {
  if (!isPossible) say('This browser has no web push.', 'problem');
});
