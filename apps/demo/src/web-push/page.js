// Subscribes this browser as a device, and asks the server to send it a push.
const HOME = '/demo/web-push';
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

const registration = () => navigator.serviceWorker?.getRegistration(HOME);
const subscription = async () => (await registration())?.pushManager?.getSubscription();

async function refresh() {
  const isSubscribed = Boolean(await subscription());
  const isPossible = 'serviceWorker' in navigator && 'PushManager' in window && 'Notification' in window;
  element('subscribe').disabled = isSubscribed || !isPossible;
  for (const id of ['send', 'unsubscribe']) element(id).disabled = !isSubscribed;
  return isPossible;
}

/** The device of this browser, with a token that is valid for a day. */
async function openDevice() {
  const { application, token } = await ask('open');
  const worker = `${HOME}/tidings-worker.js`;
  return Tidings.connect({ url: location.origin, application, token, worker, scope: HOME, title: 'Tidings' });
}

async function subscribe() {
  // Before anything is awaited: the click counts for some seconds.
  await Notification.requestPermission();
  const device = await openDevice();
  try {
    await device.subscribe();
  } catch ({ code, message }) {
    const hint = 'A browser without internet, a private window or a headless browser has no push service.';
    throw new Error(code === 'refused' ? `${message}. ${hint}` : message);
  }
  const { endpoint } = (await subscription()).toJSON();
  say(`Subscribed at ${new URL(endpoint).origin}`);
}

/** Asks what became of a push until that is known, or for half a minute. */
async function outcomeOf(message, hwid) {
  for (let looks = 0; looks < LOOKS; looks++) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
    const { answer, explanation } = await ask('explain', { message, hwid });
    if (answer === 'SENT' || answer === 'FAILED' || answer === 'NOT_ADDRESSED') return { answer, explanation };
  }
  return { answer: 'IN_FLIGHT', explanation: 'The push is still waiting: the push service may be unreachable.' };
}

async function send() {
  const hwid = await (await openDevice()).hwid();
  const { message } = await ask('send', { hwid });
  say(`Message ${message} is accepted`);
  const { answer, explanation } = await outcomeOf(message, hwid);
  say(explanation, answer === 'SENT' ? 'news' : 'problem');
}

async function unsubscribe() {
  await (await openDevice()).unsubscribe();
  say('Unsubscribed');
}

onClick('subscribe', subscribe);
onClick('send', send);
onClick('unsubscribe', unsubscribe);
navigator.serviceWorker?.addEventListener('message', ({ data }) => {
  if (data?.tidings) say(`The service worker received: ${data.tidings.body}`);
});
refresh().then((isPossible) => {
  if (!isPossible) say('This browser has no web push.', 'problem');
});
