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

/** The collaborators and settings of a transport. */
export interface TransportDeps {
  readonly credentials: Credentials;
  /** The key that signs statistics hashes. */
  readonly reportKey: KeyObject;
  /** The base of links to the service, without a trailing slash. */
  readonly publicUrl: string;
  readonly clock: Clock;
  /** PEM of all CA certificates; undefined = the certificates of Node. */
  readonly ca: readonly string[] | undefined;
  /** Opens connections of HTTP/2. */
  readonly connect: (settings: ConnectionSettings) => ProviderConnection;
  /** Opens persistent connections of HTTP/1.1. */
  readonly connectHttp1: (settings: ConnectionSettings) => ProviderConnection;
  /** Receives connections that failed and that `connect` did not open. */
  readonly onFailure: (failure: FailedOpening, host: string) => void;
  /** Opens connections of another protocol than HTTP. */
  readonly connectBy: (open: OpenLink) => (settings: ConnectionSettings) => ProviderConnection;
  /** The memory of what SMSCs have accepted. */
  readonly receipts: () => ReceiptStore;
  /** Receives failures of the background work of a channel. */
  readonly onError: (error: unknown) => void;
  /** Posts forms to addresses that callers gave. */
  readonly postForm: PostForm;
  /** Posts forms to a provider's own address, or the one that the operator has set in its place. */
  readonly postProvider: PostForm;
  /** Addresses of providers that differ from the defaults. */
  readonly urls: ProviderAddresses;
  /** Decides which addresses of callers may be connected to. */
  readonly addresses: AddressGuard;
  /** Contact of the operator for push services of browsers: `mailto:` or `https:`. @default none */
  readonly webPushSubject?: string | undefined;
  /** The domain that bounce reports go to. @default none */
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

/** The transport of every channel, a line each; looked up when a dispatcher opens. */
export const transports = new Map<string, OpenTransport>(Object.entries(byName));
