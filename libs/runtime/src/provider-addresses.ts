import { Platform } from '@tidings/kernel';
import { z } from 'zod';

export interface ProviderAddresses {
  /** `http://` means HTTP/2 without TLS. */
  readonly apns?: string | undefined;
  readonly apnsSandbox?: string | undefined;
  readonly fcm?: string | undefined;
  readonly hms?: string | undefined;
  readonly hmsToken?: string | undefined;
  readonly whatsApp?: string | undefined;
  readonly line?: string | undefined;
  readonly wnsToken?: string | undefined;
  readonly smtp?: string | undefined;
  readonly adm?: string | undefined;
  readonly admToken?: string | undefined;
  readonly kakao?: string | undefined;
  readonly smpp?: string | undefined;
}

const address = (...schemes: readonly string[]) =>
  z.string().refine(
    (text) => {
      const url = URL.parse(text);
      return url !== null && url.hostname !== '' && schemes.includes(url.protocol.slice(0, -1));
    },
    `must be an address that begins with ${schemes.map((scheme) => `${scheme}://`).join(' or ')}`,
  );

export const web = address('https', 'http');
const relay = address('smtps', 'smtp');

function isAccount(text: string): boolean {
  const url = URL.parse(text);
  if (!url || url.username === '' || !url.searchParams.get('sender')) return false;
  try {
    for (const part of [url.username, url.password]) decodeURIComponent(part);
    return true;
  } catch {
    return false;
  }
}

const smsc = address('smpp').refine(isAccount, 'must be smpp://system_id:password@host:port?sender=NAME');

export const providerVariables = {
  APNS_URL: web.optional(),
  APNS_SANDBOX_URL: web.optional(),
  FCM_URL: web.optional(),
  HMS_URL: web.optional(),
  HMS_TOKEN_URL: web.optional(),
  WHATSAPP_URL: web.optional(),
  WNS_TOKEN_URL: web.optional(),
  SMTP_URL: relay.optional(),
  ADM_URL: web.optional(),
  ADM_TOKEN_URL: web.optional(),
  LINE_URL: web.optional(),
  KAKAO_URL: web.optional(),
  SMPP_URL: smsc.optional(),
};

export const providersOf = (data: z.infer<z.ZodObject<typeof providerVariables>>): ProviderAddresses => ({
  apns: data.APNS_URL,
  apnsSandbox: data.APNS_SANDBOX_URL,
  fcm: data.FCM_URL,
  hms: data.HMS_URL,
  hmsToken: data.HMS_TOKEN_URL,
  whatsApp: data.WHATSAPP_URL,
  wnsToken: data.WNS_TOKEN_URL,
  smtp: data.SMTP_URL,
  adm: data.ADM_URL,
  admToken: data.ADM_TOKEN_URL,
  line: data.LINE_URL,
  kakao: data.KAKAO_URL,
  smpp: data.SMPP_URL,
});

export const deploymentPlatformsOf = ({ smpp }: ProviderAddresses): readonly number[] =>
  smpp === undefined ? [] : [Platform.Sms];
