import {
  type ChannelDefinition,
  type ChannelPayload,
  connectionResults,
  localResults,
  type SendResult,
} from '@tidings/channels';
import type { ConnectionFailure, ConnectionSettings, OutgoingRequest, ProviderConnection } from '@tidings/http2';
import { type Clock, Fault } from '@tidings/kernel';
import type { MessageKey } from '@tidings/messaging';
import type { KeyObject } from 'node:crypto';
import type { Throttler } from '../throttle/throttles.ts';
import type { Channel, Job, PushListener, Sender } from './channel-port.ts';
import { opened, connectionResult } from './connections.ts';
import { tokenRefusalOf } from './credentials/access-token.ts';
import type { Credentials } from './credentials/credential-cache.ts';
import { http2Channel, type SenderDeps } from './http2-channel.ts';
import { keyOfBatch } from './message-key.ts';
import type { PostForm } from './post-form.ts';
import { type ExchangeContext, PushExchange } from './push-exchange.ts';

export interface RequestTokens {
  get(): Promise<string>;
  renewed(refused: string): Promise<string>;
  readonly lastFailure: ConnectionFailure | undefined;
}

export const fixedToken = (secret: string): RequestTokens => ({
  get: async () => secret,
  renewed: async () => {
    throw Fault.forbidden('the secret of a credential is not renewed');
  },
  lastFailure: undefined,
});

export interface Access<Credential> {
  readonly credential: Credential;
  readonly token: string;
  readonly job: Job;
}

interface CommonDeps {
  readonly credentials: Credentials;
  readonly reportKey: KeyObject;
  readonly clock: Clock;
  readonly connectHttp1: (settings: ConnectionSettings) => ProviderConnection;
  readonly ca?: readonly string[] | undefined;
}

export interface Http1Deps extends CommonDeps {
  readonly url?: string | undefined;
}

export interface OAuthDeps extends Http1Deps {
  readonly tokenUrl?: string | undefined;
  readonly postProvider: PostForm;
}

export interface Http1ChannelOptions<Credential> extends CommonDeps {
  readonly channel: string;
  readonly definition: ChannelDefinition<Credential>;
  readonly url: (credential: Credential) => string;
  readonly unsuitable?: (credential: Credential, batch: Job['batch']) => SendResult | undefined;
  readonly tokensOf: (credential: Credential) => RequestTokens;
  readonly requestsWith: (access: Access<Credential>) => (device: number) => OutgoingRequest;
}

export const http1Channel = <Credential>(options: Http1ChannelOptions<Credential>): Channel =>
  http2Channel<Credential, RequestTokens>({
    ...options,
    connect: (credential) =>
      options.connectHttp1({ url: options.url(credential), tls: options.ca ? { ca: [...options.ca] } : {} }),
    sender: (deps) => new Http1Sender(deps, options),
  });

class Http1Sender<Credential> implements Sender {
  readonly credential: string;
  readonly settings: Throttler;
  readonly #deps: SenderDeps<Credential, RequestTokens>;
  readonly #options: Http1ChannelOptions<Credential>;
  readonly #key: MessageKey;
  readonly #payloads: (ChannelPayload | undefined)[] = [];
  readonly #exchanges: ExchangeContext;
  #requestFor: ((device: number) => OutgoingRequest) | undefined;

  constructor(deps: SenderDeps<Credential, RequestTokens>, options: Http1ChannelOptions<Credential>) {
    this.#deps = deps;
    this.#options = options;
    this.#key = keyOfBatch(deps.reportKey, deps.job.batch);
    const { prepared, connection, clock } = deps;
    const { definition } = options;
    this.credential = prepared.fingerprint;
    this.settings = prepared.settings;
    this.#exchanges = {
      credential: '',
      refused: '',
      connection,
      now: () => clock.now(),
      refusal: (status, body, headers) => definition.refusal(status, body, headers),
      readsSuccess: definition.readsSuccess,
    };
  }

  async prepare(): Promise<SendResult | undefined> {
    const { prepared, connection } = this.#deps;
    try {
      this.#use(await prepared.tokens.get());
    } catch (error) {
      const refusal = tokenRefusalOf(error);
      if (refusal) return refusal;
      throw error;
    }
    await opened(connection);
    return undefined;
  }

  failure(): SendResult {
    const { prepared, connection } = this.#deps;
    const { lastFailure } = prepared.tokens;
    return lastFailure === undefined ? connectionResult(connection) : connectionResults[lastFailure];
  }

  push(device: number, tag: number, deadline: number, listener: PushListener): 'written' | 'busy' | SendResult {
    const { job, connection, writer } = this.#deps;
    if (!this.#requestFor || !connection.ready()) return 'busy';
    const { columns } = job;
    const { payload, limit } = this.#payloadFor(columns.languages[device]!);
    const body = writer.write(payload, columns, device, limit);
    if (!this.#options.definition.fits(body, limit)) return localResults.payloadTooLarge;
    const exchange = new PushExchange(tag, deadline, listener, this.#exchanges);
    return connection.request(this.#requestFor(device), body, exchange) ? 'written' : 'busy';
  }

  whenReady(run: () => void): void {
    this.#deps.connection.whenReady(run);
  }

  downUntil(): number {
    return this.#deps.connection.downUntil();
  }

  async refresh(): Promise<void> {
    this.#use(await this.#deps.prepared.tokens.renewed(this.#exchanges.refused));
  }

  #use(token: string): void {
    if (this.#requestFor && token === this.#exchanges.credential) return;
    const { prepared, job } = this.#deps;
    this.#exchanges.credential = token;
    this.#requestFor = this.#options.requestsWith({ credential: prepared.credential, token, job });
  }

  #payloadFor(language: number): ChannelPayload {
    const { job, prepared } = this.#deps;
    const name = job.batch.languageNames[language] ?? '';
    return (this.#payloads[language] ??= this.#options.definition.compile(
      ...([job.batch, name, this.#key, prepared.credential] as const),
    ));
  }
}
