import { createECDH, createSecretKey, randomBytes } from 'node:crypto';
import { definitions, WebPushEncryption, webPushHeaders } from '@tidings/channels';
import { Content } from '@tidings/events';
import { messageKeyOf, PayloadWriter } from '@tidings/messaging';
import webPush from 'web-push';
import { type Figure, median, ratio } from './lib/figure.ts';
import { columnsOf, microsPerDevice } from './lib/rendering.ts';
import { untilSteady } from './lib/rounds.ts';

const DEVICES = 256;
const MS_A_ROUND = 1_000;

const ORIGIN = 'https://push.example.com';
const TITLE = 'News';
const BODY =
  'Dear {{Name|CapitalizeFirst|friend}}, your order has arrived at the pick-up point. Open the page to see the code.';
const MESSAGE = { message: 'AF0B-EEFE4D5E-E445B2E9', bucket: 0, messageId: 20012343258n, campaignId: 0n };
const CHROME = 11;

const keys = webPush.generateVAPIDKeys();

const browsers = Array.from({ length: DEVICES }, (_, i) => {
  const ecdh = createECDH('prime256v1');
  return {
    name: `anna${i}`,
    endpoint: `${ORIGIN}/push/${randomBytes(32).toString('base64url')}`,
    keys: { p256dh: ecdh.generateKeys('base64url'), auth: randomBytes(16).toString('base64url') },
  };
});

interface Outgoing {
  readonly body: Buffer;
}

function theirs(i: number): Outgoing {
  const { name, ...subscription } = browsers[i]!;
  const text = BODY.replace(/\{\{[^}]*\}\}/g, name.charAt(0).toUpperCase() + name.slice(1));
  const payload = JSON.stringify({
    body: text,
    header: TITLE,
    tag: MESSAGE.message,
    p: `P_0_lQlKFY_bEL-4nm3p4-4bbkUN_${i}`,
  });
  return webPush.generateRequestDetails(subscription, payload, {
    vapidDetails: { subject: 'mailto:ops@example.com', ...keys },
    TTL: 2_419_200,
    urgency: 'normal',
    topic: MESSAGE.message,
  });
}

/** Compiled once, with a key pair for the batch; the VAPID token is signed once in eleven hours. */
function ours(): (i: number) => Outgoing {
  const { webpush } = definitions;
  const localized = (text: string) => ({ entries: [{ language: 'default', text }] });
  const content = Content.fromPartial({ text: localized(BODY), title: localized(TITLE), tags: ['Name'] });
  const push = { ...MESSAGE, platform: CHROME, variant: 'alert', applicationTitle: '', entry: undefined, content };
  const key = messageKeyOf(createSecretKey(new Uint8Array(32)), 'AAAAA-00000', {
    code: MESSAGE.message,
    messageId: MESSAGE.messageId,
    campaignId: MESSAGE.campaignId,
  });
  const { payload, limit } = webpush.compile(push, '', key);
  const headers = webPushHeaders(push);
  const columns = columnsOf(
    CHROME,
    browsers.map(({ name }) => [name]),
  );
  const writer = new PayloadWriter();
  const encryption = new WebPushEncryption();
  return (i) => {
    const { p256dh, auth } = browsers[i]!.keys;
    const plaintext = writer.write(payload, columns, i, limit);
    const body = encryption.encrypt(plaintext, {
      publicKey: Buffer.from(p256dh, 'base64'),
      authSecret: Buffer.from(auth, 'base64'),
    });
    if (!body || headers.length === 0) throw new Error('nothing to send');
    return { body };
  };
}

export async function measure(): Promise<Figure> {
  const own = ours();
  const round = () => ({
    their: microsPerDevice(theirs, DEVICES, MS_A_ROUND),
    our: microsPerDevice(own, DEVICES, MS_A_ROUND),
  });
  round();
  const rounds = await untilSteady(round, ({ their, our }) => their / our);
  const [slow, fast] = [rounds.map(({ their }) => their), rounds.map(({ our }) => our)];
  return {
    id: 'G8',
    title: 'a personalised web push vs npm web-push',
    measures: [
      {
        title: '',
        ...ratio(slow, fast),
        floor: { least: 1 },
        goal: { least: 3.5 },
        details: { ours: `${median(fast).toFixed(1)} µs`, 'web-push': `${median(slow).toFixed(1)} µs` },
      },
    ],
  };
}
