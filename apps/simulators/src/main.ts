import { readFileSync } from 'node:fs';
import { startSimulators } from './simulators.ts';

const numberFrom = (name: string): number | undefined => {
  const text = process.env[name];
  if (text === undefined || text === '') return undefined;
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 0) throw new RangeError(`${name} must be a whole number, is ${text}`);
  return value;
};

const { HOST, TLS_KEY_FILE, TLS_CERT_FILE, KEEP_PAYLOADS } = process.env;

const simulators = await startSimulators({
  host: HOST ?? '127.0.0.1',
  ports: {
    apns: numberFrom('APNS_PORT') ?? 0,
    fcm: numberFrom('FCM_PORT') ?? 0,
    webpush: numberFrom('WEB_PUSH_PORT') ?? 0,
    hms: numberFrom('HMS_PORT') ?? 0,
    email: numberFrom('SMTP_PORT') ?? 0,
    adm: numberFrom('ADM_PORT') ?? 0,
    sms: numberFrom('SMS_PORT') ?? 0,
    smpp: numberFrom('SMPP_PORT') ?? 0,
    whatsapp: numberFrom('WHATSAPP_PORT') ?? 0,
    line: numberFrom('LINE_PORT') ?? 0,
    wns: numberFrom('WNS_PORT') ?? 0,
    kakao: numberFrom('KAKAO_PORT') ?? 0,
    'google-oauth': numberFrom('TOKEN_PORT') ?? 0,
    control: numberFrom('CONTROL_PORT') ?? 0,
  },
  tls:
    TLS_KEY_FILE === undefined || TLS_CERT_FILE === undefined
      ? undefined
      : { key: readFileSync(TLS_KEY_FILE, 'utf8'), cert: readFileSync(TLS_CERT_FILE, 'utf8') },
  keepPayloads: KEEP_PAYLOADS === '1',
  maxEntries: numberFrom('MAX_ENTRIES'),
  maxConcurrentStreams: numberFrom('MAX_CONCURRENT_STREAMS'),
});

const { apnsUrl, fcmUrl, webPushUrl, tokenUrl, controlUrl } = simulators;
const otherUrls = {
  hmsUrl: simulators.urlOf('hms'),
  admUrl: simulators.urlOf('adm'),
  wnsUrl: simulators.urlOf('wns'),
  smtpUrl: simulators.urlOf('email'),
  smsUrl: simulators.urlOf('sms'),
  smppUrl: simulators.urlOf('smpp'),
  whatsAppUrl: simulators.urlOf('whatsapp'),
  lineUrl: simulators.urlOf('line'),
  kakaoUrl: simulators.urlOf('kakao'),
};
process.stdout.write(`${JSON.stringify({ apnsUrl, fcmUrl, webPushUrl, ...otherUrls, tokenUrl, controlUrl })}\n`);

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    void simulators.close().finally(() => process.exit(0));
  });
}
