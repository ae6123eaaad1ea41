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
  APNS_URL: web
    .optional()
    .meta({ unset: "Apple's", description: 'address of APNs; `http://` means HTTP/2 without TLS' }),
  APNS_SANDBOX_URL: web.optional().meta({ unset: "Apple's", description: 'address of the sandbox of APNs' }),
  FCM_URL: web.optional().meta({
    unset: "Google's",
    description: 'address of Firebase Cloud Messaging; `http://` means HTTP/2 without TLS',
  }),
  HMS_URL: web.optional().meta({ unset: "Huawei's", description: 'address of Push Kit' }),
  HMS_TOKEN_URL: web
    .optional()
    .meta({ unset: "Huawei's", description: 'address of the endpoint that issues access tokens for Push Kit' }),
  WHATSAPP_URL: web.optional().meta({ unset: "Meta's Graph API", description: "address of WhatsApp's Cloud API" }),
  WNS_TOKEN_URL: web
    .optional()
    .meta({ unset: "Microsoft's", description: 'address of the endpoint that issues access tokens for Windows' }),
  SMTP_URL: relay.optional().meta({
    unset: "the mail servers of recipients' domains, by port 25",
    description: 'the relay of e-mail, `smtp://user:password@host:587` (STARTTLS where offered) or `smtps://…`',
  }),
  ADM_URL: web.optional().meta({ unset: "Amazon's", description: 'address of Amazon Device Messaging' }),
  ADM_TOKEN_URL: web
    .optional()
    .meta({ unset: "Amazon's", description: 'address of the endpoint that issues access tokens for it' }),
  LINE_URL: web.optional().meta({ unset: "LINE's", description: 'address of the Messaging API' }),
  KAKAO_URL: web
    .optional()
    .meta({ unset: "NHN Cloud's", description: 'address of the Bizmessage API that reaches Kakao' }),
  SMPP_URL: smsc.optional().meta({
    description:
      'the SMSC of applications without settings for SMS: `smpp://system_id:password@host:2775?sender=NAME`; for dispatchers of SMS and the fan-out',
  }),
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
