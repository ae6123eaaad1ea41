import { createHash, type KeyObject } from 'node:crypto';
import type { ConnectionOptions } from 'node:tls';
import {
  type ApnsCredential,
  apnsKeptSeconds,
  type ApnsProof,
  apnsPushType,
  type ApnsPushType,
  apnsUnsuitable,
  type ChannelPayload,
  definitions,
  inLanguage,
  localResults,
  type SendResult,
} from '@tidings/channels';
import { type BatchColumns, tokenOf } from '@tidings/delivery';
import type { ConnectionSettings, ProviderConnection } from '@tidings/http2';
import type { Clock } from '@tidings/kernel';
import type { MessageKey } from '@tidings/messaging';
import type { Credentials } from '../credentials/credential-cache.ts';
import type { Throttler } from '../../throttle/throttles.ts';
import { opened, connectionResult } from '../connections.ts';
import { http2Channel, type SenderDeps } from '../http2-channel.ts';
import { type ExchangeContext, PushExchange } from '../push-exchange.ts';
import { keyOfBatch } from '../message-key.ts';
import type { Channel, Job, PushListener, Sender } from '../channel-port.ts';
import { ProviderToken } from './provider-token.ts';

export interface ApnsDeps {
  readonly credentials: Credentials;
  readonly reportKey: KeyObject;
  readonly urls?: { readonly production?: string | undefined; readonly sandbox?: string | undefined };
  readonly connect: (settings: ConnectionSettings) => ProviderConnection;
  readonly clock: Clock;
  readonly ca?: readonly string[] | undefined;
}

const PRODUCTION = 'https://api.push.apple.com';
const SANDBOX = 'https://api.sandbox.push.apple.com';

const { apns } = definitions;

type Tokens = ProviderToken | undefined;

export const apnsChannel = ({ urls, connect, ca, ...deps }: ApnsDeps): Channel =>
  http2Channel<ApnsCredential, Tokens>({
    ...deps,
    channel: 'apns',
    definition: apns,
    unsuitable: apnsUnsuitable,
    tokensOf: ({ proof }) => (proof.by === 'token' ? new ProviderToken(proof, deps.clock) : undefined),
    connect: ({ sandbox, proof }) =>
      connect({
        url: sandbox ? (urls?.sandbox ?? SANDBOX) : (urls?.production ?? PRODUCTION),
        tls: tlsOf(proof, ca),
      }),
    sender: (sending) => new ApnsSender(sending),
  });

const tlsOf = (proof: ApnsProof, ca: readonly string[] | undefined): ConnectionOptions => ({
  ...(proof.by === 'certificate' ? proof.tls : {}),
  ...(ca ? { ca: [...ca] } : {}),
});

const hex = (value: number | bigint, digits: number): string => value.toString(16).padStart(digits, '0');

/** Ids are equal for repeats, so that APNs replaces the original. */
function idPrefix({ messageId, bucket, application }: Job['batch']): string {
  const message = hex(messageId, 16);
  const hash = createHash('sha256')
    .update(bucket === 0 ? application : `${application}/${bucket}`)
    .digest('hex');
  return `${message.slice(0, 8)}-${message.slice(8, 12)}-${message.slice(12)}-${hash.slice(0, 4)}-${hash.slice(4, 8)}`;
}

const topicEndings: Readonly<Record<ApnsPushType, string>> = {
  alert: '',
  background: '',
  voip: '.voip',
  liveactivity: '.push-type.liveactivity',
};

function sharedHeaders(batch: Job['batch'], language: string, bundleId: string): readonly string[] {
  const kind = inLanguage(batch, language);
  const pushType = apnsPushType(kind, language);
  const keptSeconds = apnsKeptSeconds(kind);
  const releasedAt = Math.floor((batch.releasedAt?.getTime() ?? 0) / 1000);
  const expiration = keptSeconds === 0 ? '0' : String(releasedAt + (keptSeconds ?? 0));
  return [
    'apns-topic',
    bundleId + topicEndings[pushType],
    'apns-push-type',
    pushType,
    'apns-priority',
    pushType === 'background' ? '5' : '10',
    ...(keptSeconds === undefined ? [] : ['apns-expiration', expiration]),
  ];
}

/** APNs refuses tokens that need encoding. */
class PathTokens {
  readonly #columns: BatchColumns;
  readonly #plain: string | undefined;

  constructor(columns: BatchColumns) {
    this.#columns = columns;
    const { buffer, byteOffset, length } = columns.tokens;
    const text = Buffer.from(buffer, byteOffset, length).toString('latin1');
    this.#plain = /^[0-9A-Za-z]*$/.test(text) ? text : undefined;
  }

  of(device: number): string {
    const { tokenEnds } = this.#columns;
    if (this.#plain === undefined) return encodeURIComponent(tokenOf(this.#columns, device));
    return this.#plain.slice(device === 0 ? 0 : tokenEnds[device - 1], tokenEnds[device]);
  }
}

class ApnsSender implements Sender {
  readonly credential: string;
  readonly settings: Throttler;
  readonly #deps: SenderDeps<ApnsCredential, Tokens>;
  readonly #idPrefix: string;
  readonly #key: MessageKey;
  readonly #payloads: (ChannelPayload | undefined)[] = [];
  readonly #exchanges: ExchangeContext;
  readonly #tokens: PathTokens;
  #headers: (readonly string[] | undefined)[] = [];
  readonly #headersByText = new Map<string, readonly string[]>();

  constructor(deps: SenderDeps<ApnsCredential, Tokens>) {
    this.#deps = deps;
    const { job, prepared, connection, clock } = deps;
    this.credential = prepared.fingerprint;
    this.settings = prepared.settings;
    this.#idPrefix = idPrefix(job.batch);
    this.#key = keyOfBatch(deps.reportKey, job.batch);
    this.#tokens = new PathTokens(job.columns);
    this.#exchanges = {
      credential: '',
      refused: '',
      connection,
      now: () => clock.now(),
      refusal: (status, body) => apns.refusal(status, body),
    };
  }

  async prepare(): Promise<undefined> {
    await opened(this.#deps.connection);
  }

  failure(): SendResult {
    return connectionResult(this.#deps.connection);
  }

  push(device: number, tag: number, deadline: number, listener: PushListener): 'written' | 'busy' | SendResult {
    const { job, connection, writer } = this.#deps;
    if (!connection.ready()) return 'busy';
    const { columns } = job;
    const { payload, limit } = this.#payloadFor(columns.languages[device]!);
    const body = writer.write(payload, columns, device, limit);
    if (!apns.fits(body, limit)) return localResults.payloadTooLarge;
    const id = this.#idPrefix + hex(columns.chunk * 65_536 + columns.positions[device]!, 8);
    const request = {
      path: `/3/device/${this.#tokens.of(device)}`,
      shared: this.#currentHeaders(columns.languages[device]!),
      own: ['apns-id', id, 'apns-collapse-id', id],
    };
    const exchange = new PushExchange(tag, deadline, listener, this.#exchanges);
    return connection.request(request, body, exchange) ? 'written' : 'busy';
  }

  whenReady(run: () => void): void {
    this.#deps.connection.whenReady(run);
  }

  downUntil(): number {
    return this.#deps.connection.downUntil();
  }

  async refresh(): Promise<void> {
    this.#deps.prepared.tokens?.renew(this.#exchanges.refused);
  }

  #payloadFor(language: number): ChannelPayload {
    const { batch } = this.#deps.job;
    return (this.#payloads[language] ??= apns.compile(batch, batch.languageNames[language] ?? '', this.#key));
  }

  #currentHeaders(language: number): readonly string[] {
    const authorization = this.#deps.prepared.tokens?.authorization() ?? '';
    if (authorization !== this.#exchanges.credential) {
      this.#exchanges.credential = authorization;
      this.#headers = [];
      this.#headersByText.clear();
    }
    return (this.#headers[language] ??= this.#headersIn(language, authorization));
  }

  #headersIn(language: number, authorization: string): readonly string[] {
    const { job, prepared } = this.#deps;
    const shared = sharedHeaders(job.batch, job.batch.languageNames[language] ?? '', prepared.credential.bundleId);
    const headers = authorization === '' ? shared : ['authorization', authorization, ...shared];
    const text = shared.join('\n');
    const same = this.#headersByText.get(text);
    if (same) return same;
    this.#headersByText.set(text, headers);
    return headers;
  }
}
