import type { ConnectionSettings, FailedOpening, OpenLink, ProviderConnection } from '@tidings/http2';
import type { Channel as ChannelName, Clock } from '@tidings/kernel';
import type { AddressGuard, ProviderAddresses } from '@tidings/runtime';
import type { KeyObject } from 'node:crypto';
import { admChannel } from './adm/adm-channel.ts';
import { apnsChannel } from './apns/apns-channel.ts';
import type { Credentials } from './credentials/credential-cache.ts';
import { emailChannel } from './email/email-channel.ts';
import { fcmChannel } from './fcm/fcm-channel.ts';
import { hmsChannel } from './hms/hms-channel.ts';
import type { Channel } from './channel-port.ts';
import type { PostForm } from './post-form.ts';
import { lineChannel } from './line/line-channel.ts';
import type { ReceiptStore } from './sms/receipt-store.ts';
import { smsChannel } from './sms/sms-channel.ts';
import { kakaoChannel } from './kakao/kakao-channel.ts';
import { webPushChannel } from './webpush/webpush-channel.ts';
import { whatsAppChannel } from './whatsapp/whatsapp-channel.ts';
import { wnsChannel } from './wns/wns-channel.ts';

export interface TransportDeps {
  readonly credentials: Credentials;
  readonly reportKey: KeyObject;
  readonly publicUrl: string;
  readonly clock: Clock;
  readonly ca: readonly string[] | undefined;
  readonly connect: (settings: ConnectionSettings) => ProviderConnection;
  readonly connectHttp1: (settings: ConnectionSettings) => ProviderConnection;
  readonly onFailure: (failure: FailedOpening, host: string) => void;
  readonly connectBy: (open: OpenLink) => (settings: ConnectionSettings) => ProviderConnection;
  readonly receipts: () => ReceiptStore;
  readonly onError: (error: unknown) => void;
  readonly postForm: PostForm;
  readonly postProvider: PostForm;
  readonly urls: ProviderAddresses;
  readonly addresses: AddressGuard;
  readonly webPushSubject?: string | undefined;
  readonly mailBounceDomain?: string | undefined;
}

type OpenTransport = (deps: TransportDeps) => Channel;

const byName = {
  apns: ({ urls, ...deps }) => apnsChannel({ ...deps, urls: { production: urls.apns, sandbox: urls.apnsSandbox } }),
  fcm: ({ urls, ...deps }) => fcmChannel({ ...deps, url: urls.fcm }),
  webpush: ({ webPushSubject: subject, ...deps }) => webPushChannel({ ...deps, subject }),
  adm: ({ urls, ...deps }) => admChannel({ ...deps, url: urls.adm, tokenUrl: urls.admToken }),
  hms: ({ urls, ...deps }) => hmsChannel({ ...deps, url: urls.hms, tokenUrl: urls.hmsToken }),
  whatsapp: ({ urls, ...deps }) => whatsAppChannel({ ...deps, url: urls.whatsApp }),
  wns: ({ urls, ...deps }) => wnsChannel({ ...deps, tokenUrl: urls.wnsToken }),
  email: ({ urls, mailBounceDomain: bounceDomain, ...deps }) => emailChannel({ ...deps, url: urls.smtp, bounceDomain }),
  line: ({ urls, ...deps }) => lineChannel({ ...deps, url: urls.line }),
  sms: ({ receipts, urls, ...deps }) => smsChannel({ ...deps, receipts: receipts(), url: urls.smpp }),
  kakao: ({ urls, ...deps }) => kakaoChannel({ ...deps, url: urls.kakao }),
} satisfies Record<ChannelName, OpenTransport>;

export const transports = new Map<string, OpenTransport>(Object.entries(byName));
