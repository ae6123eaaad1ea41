import { createHash } from 'node:crypto';
import { subscriptionKeys } from '../demo-population.ts';
import type { Simulators } from '../demo-providers.ts';

/** See the simulators' README for the special tokens. */
export type Reaction = 'accepts' | 'refuses' | 'asks to repeat once';

export interface ChannelPlatform {
  readonly code: number;
  readonly name: string;
  readonly channel: string;
  readonly provider?: string;
  readonly tokenOf: (reaction: Reaction, n: number) => string;
  readonly registrationOf?: (token: string, urls: Simulators) => Readonly<Record<string, string>>;
}

const hex = (value: number, digits: number): string => value.toString(16).padStart(digits, '0');
const digits = (value: number, length: number): string => String(value).padStart(length, '0');

const texts =
  (prefix: string, separator: string, repeats = 'throttled') =>
  (reaction: Reaction, n: number): string => {
    const kind = { accepts: 'accepted', refuses: 'dead', 'asks to repeat once': repeats }[reaction];
    return `${prefix}${kind}${separator}${reaction === 'asks to repeat once' ? 1 : 0}${separator}${n}`;
  };

const phone = (reaction: Reaction, n: number): string =>
  reaction === 'accepts'
    ? `+1555${digits(n, 7)}`
    : `+888${reaction === 'refuses' ? '01000000' : '03000001'}${digits(n, 4)}`;

const apnsToken = (reaction: Reaction, n: number): string => {
  if (reaction === 'refuses') return `0badf00d0100${hex(n, 52)}`;
  return reaction === 'accepts' ? `d${hex(n, 63)}` : `0badf00d0301${hex(n, 52)}`;
};

const lineUser = (reaction: Reaction, n: number): string =>
  reaction === 'accepts' ? `U${createHash('md5').update(`line ${n}`).digest('hex')}` : texts('sim:', ':')(reaction, n);

const smsNumber = (reaction: Reaction, n: number): string =>
  reaction === 'accepts' ? `+4917${digits(n, 8)}` : `+4990${reaction === 'refuses' ? '0100' : '0301'}${digits(n, 6)}`;

/** A deferred mail is retried after a minute (R-P3): too long for a demo. */
const mailAddress = (reaction: Reaction, n: number): string =>
  reaction === 'refuses' ? `sim.dead.0.${n}@mail.example` : `person-${n}@mail.example`;

const browser = (origin: string, path: string): Readonly<Record<string, string>> => ({
  push_token: origin + path,
  ...subscriptionKeys(path),
});

export const channelPlatforms: readonly ChannelPlatform[] = [
  { code: 1, name: 'iOS', channel: 'apns', tokenOf: apnsToken },
  { code: 7, name: 'macOS', channel: 'apns', tokenOf: apnsToken },
  // A quota error would wait a minute.
  { code: 3, name: 'Android', channel: 'fcm', tokenOf: texts('sim:', ':', 'reset') },
  {
    code: 11,
    name: 'Chrome',
    channel: 'webpush',
    tokenOf: texts('/push/', '.'),
    registrationOf: (path, { webPushUrl }) => browser(webPushUrl, path),
  },
  {
    code: 12,
    name: 'Firefox',
    channel: 'webpush',
    tokenOf: texts('/push/', '.'),
    registrationOf: (path, { webPushUrl }) => browser(webPushUrl, path),
  },
  { code: 17, name: 'Huawei', channel: 'hms', tokenOf: texts('sim:', ':') },
  { code: 9, name: 'Amazon', channel: 'adm', tokenOf: texts('sim:', ':') },
  {
    code: 8,
    name: 'Windows',
    channel: 'wns',
    tokenOf: texts('/w/?token=', '.'),
    registrationOf: (path, { wnsUrl }) => ({ push_token: wnsUrl + path }),
  },
  {
    code: 14,
    name: 'E-mail',
    channel: 'email',
    tokenOf: mailAddress,
    registrationOf: (email) => ({ hwid: email, email }),
  },
  {
    code: 18,
    name: 'SMS',
    channel: 'sms',
    provider: 'smpp',
    tokenOf: smsNumber,
    registrationOf: (hwid) => ({ hwid }),
  },
  {
    code: 21,
    name: 'WhatsApp',
    channel: 'whatsapp',
    tokenOf: phone,
    registrationOf: (number) => ({ hwid: `whatsapp:${number}` }),
  },
  {
    code: 22,
    name: 'Kakao',
    channel: 'kakao',
    tokenOf: (reaction, n) => phone(reaction, n).slice(1),
    registrationOf: (number) => ({ hwid: `kakao:${number}` }),
  },
  { code: 23, name: 'LINE', channel: 'line', tokenOf: lineUser, registrationOf: (hwid) => ({ hwid }) },
];

export interface ChannelDevice {
  readonly platform: ChannelPlatform;
  readonly reaction: Reaction;
  readonly token: string;
  readonly name: string;
  readonly isAddressed: boolean;
}

const REFUSED = 3;
const NOT_ADDRESSED = 5;
const REPEATED = 7;

const reactions: ReadonlyMap<number, Reaction> = new Map([
  [REFUSED, 'refuses'],
  [REPEATED, 'asks to repeat once'],
]);

export function channelDeviceOf(n: number): ChannelDevice {
  const platform = channelPlatforms[n % channelPlatforms.length]!;
  const nth = Math.floor(n / channelPlatforms.length);
  const candidate = reactions.get(nth % 10) ?? 'accepts';
  const reaction = platform.channel === 'email' && candidate !== 'refuses' ? 'accepts' : candidate;
  return {
    platform,
    reaction,
    token: platform.tokenOf(reaction, n),
    name: `Person ${n}`,
    isAddressed: nth % 10 !== NOT_ADDRESSED,
  };
}

export function registrationOf({ platform, token, name, isAddressed }: ChannelDevice, urls: Simulators, n: number) {
  const { code, registrationOf: own = (push_token: string) => ({ push_token }) } = platform;
  const tags = { Name: name, Audience: isAddressed ? 'demo' : 'none' };
  return { hwid: `demo-${n}`, device_type: code, language: 'en', tags, ...own(token, urls) };
}
