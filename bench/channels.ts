import { type Figure, format, type Measure, median, ratio } from './lib/figure.ts';
import { startProgram } from './lib/processes.ts';
import { untilSteady } from './lib/rounds.ts';
import { startProviders } from './lib/world.ts';

const MESSAGES = Number(process.env['CHANNEL_MESSAGES'] ?? 20_000);
const ONLY = process.env['CHANNELS']?.split(',');

type Urls = Readonly<Record<string, string>>;

interface Case {
  readonly channel: string;
  readonly floor: number;
  readonly protocol: 'http1' | 'smtp' | 'smpp';
  readonly url: string;
  readonly sends: object;
}

const TEXT = 'Dear Anna, your order has arrived at the pick-up point.';
const HASH = 'P_0_lQlKFY_bEL-4nm3p4-4bbkUN_1c';

const post = (path: string, body: object | string, headers: Record<string, string> = {}) => {
  const type = typeof body === 'string' ? 'application/x-www-form-urlencoded' : 'application/json';
  return {
    path,
    headers: { 'content-type': type, ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  };
};
const bearer = { authorization: 'Bearer bench' };

const toast =
  `<toast launch="{&quot;p&quot;:&quot;${HASH}&quot;}"><visual><binding template="ToastGeneric"><text>Hello</text>` +
  `<text>${TEXT}</text></binding></visual></toast>`;
const amazonHeaders = {
  'x-amzn-type-version': 'com.amazon.device.messaging.ADMMessage@1.0',
  'x-amzn-accept-type': 'com.amazon.device.messaging.ADMSendResult@1.0',
};

const http1: readonly Omit<Case, 'protocol' | 'floor'>[] = [
  {
    channel: 'hms',
    url: 'hmsUrl',
    sends: {
      ...post('/v1/1/messages:send', {
        message: { data: JSON.stringify({ title: TEXT, header: 'Hello', p: HASH }), android: {}, token: ['token-1'] },
      }),
      token: { path: '/oauth2/v3/token', client: '1', scope: '' },
    },
  },
  {
    channel: 'adm',
    url: 'admUrl',
    sends: {
      ...post(
        '/messaging/registrations/token-1/messages',
        { data: { title: TEXT, header: 'Hello', p: HASH } },
        amazonHeaders,
      ),
      token: { path: '/auth/O2/token', client: '1', scope: 'messaging:push' },
    },
  },
  {
    channel: 'wns',
    url: 'wnsUrl',
    sends: {
      ...post('/w/?token=accepted.0.1', toast, {
        'content-type': 'text/xml',
        'x-wns-type': 'wns/toast',
        'x-wns-requestforstatus': 'true',
      }),
      token: { path: '/accesstoken.srf', client: 'ms-app://s-1', scope: 'notify.windows.com' },
    },
  },
  {
    channel: 'line',
    url: 'lineUrl',
    sends: post('/v2/bot/message/push', { to: `U${'0'.repeat(32)}`, messages: [{ type: 'text', text: TEXT }] }, bearer),
  },
  {
    channel: 'whatsapp',
    url: 'whatsAppUrl',
    sends: post(
      '/v25.0/1/messages',
      {
        messaging_product: 'whatsapp',
        recipient_type: 'individual',
        to: '+15550000000',
        type: 'text',
        text: { body: TEXT },
        biz_opaque_callback_data: HASH,
      },
      { authorization: 'Bearer EAAJB' },
    ),
  },
  {
    channel: 'kakao',
    url: 'kakaoUrl',
    sends: post(
      '/alimtalk/v2.3/appkeys/app/messages',
      {
        senderKey: 's',
        templateCode: 'order',
        recipientList: [{ recipientNo: '15550000000', recipientGroupingKey: HASH }],
      },
      { 'x-secret-key': 'secret' },
    ),
  },
  {
    channel: 'twilio',
    url: 'smsUrl',
    sends: post(
      '/2010-04-01/Accounts/AC1/Messages.json',
      new URLSearchParams({ To: '+491700000000', From: '+1', Body: TEXT }).toString(),
      { authorization: `Basic ${Buffer.from('AC1:secret').toString('base64')}` },
    ),
  },
];

const cases: readonly Case[] = [
  {
    channel: 'email',
    floor: 0.8,
    protocol: 'smtp',
    url: 'smtpUrl',
    sends: {
      from: 'Shop <shop@example.com>',
      to: 'person-1@mail.example',
      subject: 'Hello',
      html: `<p>${TEXT}</p>`,
      text: TEXT,
    },
  },
  { channel: 'smpp', floor: 0.7, protocol: 'smpp', url: 'smppUrl', sends: { to: '491700000000', content: TEXT } },
  ...http1.map((each): Case => ({ ...each, floor: 0.5, protocol: 'http1' })),
];

export async function measure(): Promise<Figure> {
  const providers = await startProviders();
  try {
    const measures: Measure[] = [];
    for (const each of cases) {
      if (ONLY && !ONLY.includes(each.channel)) continue;
      measures.push(await measureOf(each, providers as unknown as Urls));
    }
    return { id: 'channels', title: 'a lane vs a bare client', measures };
  } finally {
    await providers.stop();
  }
}

async function measureOf({ channel, floor, protocol, url, sends }: Case, urls: Urls): Promise<Measure> {
  const run = async (program: string, args: readonly string[]): Promise<number> =>
    (await startProgram<{ micros: number }>(`bench/programs/${program}.ts`, [...args, String(MESSAGES)])).ready.micros;
  const rounds = await untilSteady(
    async () => ({
      their: await run('channel-bare', [protocol, urls[url]!, JSON.stringify(sends)]),
      our: await run('channel-lane', [channel, JSON.stringify(urls)]),
    }),
    ({ their, our }) => their / our,
    { most: 5 },
  );
  const [theirs, ours] = [rounds.map(({ their }) => their), rounds.map(({ our }) => our)];
  return {
    title: channel,
    ...ratio(theirs, ours),
    floor: { least: floor },
    details: { ours: `${format(median(ours))} µs`, bare: `${format(median(theirs))} µs` },
  };
}
