import { KakaoContent, type SendBatch } from '@tidings/events';
import { openFrameLink } from '@tidings/http2';
import { ShiftedClock } from '@tidings/kernel';
import { admChannel } from '../../apps/dispatcher/src/channels/adm/adm-channel.ts';
import type { Channel } from '../../apps/dispatcher/src/channels/channel-port.ts';
import { emailChannel } from '../../apps/dispatcher/src/channels/email/email-channel.ts';
import { hmsChannel } from '../../apps/dispatcher/src/channels/hms/hms-channel.ts';
import { kakaoChannel } from '../../apps/dispatcher/src/channels/kakao/kakao-channel.ts';
import { lineChannel } from '../../apps/dispatcher/src/channels/line/line-channel.ts';
import { whatsAppChannel } from '../../apps/dispatcher/src/channels/whatsapp/whatsapp-channel.ts';
import { wnsChannel } from '../../apps/dispatcher/src/channels/wns/wns-channel.ts';
import { type ChannelDeps, LaneWorld } from '../../apps/dispatcher/src/testing/lane-world.ts';
import { smsWithoutReceipts } from '../../apps/dispatcher/src/testing/sms-without-receipts.ts';
import { content, sendBatch } from '../../apps/dispatcher/src/testing/test-batches.ts';

type Urls = Readonly<Record<string, string>>;

interface Subject {
  readonly platform: number;
  readonly settings: Readonly<Record<string, string>>;
  readonly open: (parts: ChannelDeps, urls: Urls) => Channel;
  readonly token: (n: number, urls: Urls) => string;
}

const digits = (n: number, length: number): string => String(n).padStart(length, '0');

const smsToken = (n: number): string => `+4917${digits(n, 8)}`;

const subjects: Readonly<Record<string, (urls: Urls) => Subject>> = {
  hms: () => ({
    platform: 17,
    settings: { huawei_app_id: '1', huawei_app_secret: 's' },
    token: (n) => `token-${n}`,
    open: (parts, { hmsUrl }) => hmsChannel({ ...parts, url: hmsUrl, tokenUrl: `${hmsUrl}/oauth2/v3/token` }),
  }),
  adm: () => ({
    platform: 9,
    settings: { adm_cid: '1', adm_secret: 's' },
    token: (n) => `token-${n}`,
    open: (parts, { admUrl }) => admChannel({ ...parts, url: admUrl, tokenUrl: `${admUrl}/auth/O2/token` }),
  }),
  wns: () => ({
    platform: 8,
    settings: { wns_psid: 'ms-app://s-1', wns_secret: 's' },
    token: (n, { wnsUrl }) => `${wnsUrl}/w/?token=accepted.0.${n}`,
    open: (parts, { wnsUrl }) => wnsChannel({ ...parts, tokenUrl: `${wnsUrl}/accesstoken.srf` }),
  }),
  whatsapp: () => ({
    platform: 21,
    settings: { whats_app_phone_number_id: '1', whats_app_access_token: 'EAAJB' },
    token: (n) => `whatsapp:+1555${digits(n, 7)}`,
    open: (parts, { whatsAppUrl }) => whatsAppChannel({ ...parts, url: whatsAppUrl }),
  }),
  kakao: () => ({
    platform: 22,
    settings: { kakao_sender_key: 's', kakao_app_key: 'app', kakao_secret_key: 'secret' },
    token: (n) => `kakao:1555${digits(n, 7)}`,
    open: (parts, { kakaoUrl }) => kakaoChannel({ ...parts, url: kakaoUrl }),
  }),
  line: () => ({
    platform: 23,
    settings: { line_channel_access_token: 'token' },
    token: (n) => `U${digits(n, 32)}`,
    open: (parts, { lineUrl }) => lineChannel({ ...parts, url: lineUrl }),
  }),
  twilio: ({ smsUrl = '' }) => ({
    platform: 18,
    settings: { sms_http_url: smsUrl, sms_http_account: 'AC1', sms_http_token: 'secret', sms_sender: '+1' },
    token: smsToken,
    open: smsWithoutReceipts,
  }),
  smpp: ({ smppUrl = '' }) => ({
    platform: 18,
    settings: {
      sms_smpp_host: '127.0.0.1',
      sms_smpp_port: new URL(smppUrl).port,
      sms_system_id: 'bench',
      sms_password: 'secret',
      sms_sender: 'Shop',
    },
    token: smsToken,
    open: smsWithoutReceipts,
  }),
  email: () => ({
    platform: 14,
    settings: { email_from_email: 'shop@example.com', email_from_name: 'Shop', email_reply: '' },
    token: (n) => `person-${n}@mail.example`,
    open: (parts, { smtpUrl }) =>
      emailChannel({ ...parts, onFailure: () => undefined, url: smtpUrl, publicUrl: 'https://push.example' }),
  }),
};

const TEXT = 'Dear Anna, your order has arrived at the pick-up point.';
const SLICES = 4;
const SLICE = 500;
const WARM_UP = 4_000;

/** argv: channel, addresses as JSON, number of messages. Prints the CPU microseconds per message. */
const [channel = '', addresses = '{}', amount = '0'] = process.argv.slice(2);
const urls = JSON.parse(addresses) as Urls;
const { platform, settings, open, token } = subjects[channel]!(urls);
const world = new LaneWorld(
  { [platform]: { settings } },
  (parts) => open(parts, urls),
  new ShiftedClock(),
  openFrameLink,
);

let batches = 0;
const batch = (): SendBatch => {
  const bucket = batches++;
  return sendBatch(
    Array.from({ length: SLICES }, (_, number) => ({
      number,
      devices: Array.from({ length: SLICE }, (_, i) => {
        const position = number * SLICE + i;
        return { position, token: token(bucket * SLICES * SLICE + position, urls) };
      }),
    })),
    {
      platform,
      bucket,
      credential: { application: 'AAAAA-00000', platform, version: 1 },
      content: content({
        text: { entries: [{ language: 'default', text: TEXT }] },
        title: { entries: [{ language: 'default', text: 'Hello' }] },
        ...(channel === 'kakao' && { kakao: KakaoContent.fromPartial({ template: 'order' }) }),
      }),
    },
  );
};

const send = async (all: readonly SendBatch[]): Promise<void> => {
  for (const each of all) {
    await world.dispatch(each);
    await world.settle(120_000);
  }
};
const batchesOf = (messages: number): SendBatch[] => Array.from({ length: messages / (SLICES * SLICE) }, batch);

await send(batchesOf(WARM_UP));
const measured = batchesOf(Number(amount));
const before = process.cpuUsage();
await send(measured);
const used = process.cpuUsage(before);
const outcomes = new Set(
  world.results.flatMap(({ sent, failed }) => [...sent, ...failed].map((each) => 'category' in each)),
);
if (outcomes.has(true)) throw new Error('messages failed');
console.log(JSON.stringify({ ready: { micros: (used.user + used.system) / Number(amount) } }));
await world.close();
process.exit(0);
