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
import { opened, troubleOf } from './connections.ts';
import { tokenRefusalOf } from './credentials/access-token.ts';
import type { Credentials } from './credentials/credential-cache.ts';
import { http2Channel, type SenderDeps } from './http2-channel.ts';
import { keyOfBatch } from './message-key.ts';
import { type ExchangeContext, PushExchange } from './push-exchange.ts';

/** The authorization of the requests of a credential: an access token, or a secret of its own. */
export interface RequestTokens {
  /** Throws a Fault `unavailable` for transient failures, `forbidden` if the credential is refused. */
  get(): Promise<string>;
  /** Another one in place of the refused one. Throws like `get`, or another Fault if there is none. */
  renewed(refused: string): Promise<string>;
  /** The failure of the last request for a token; undefined if there was none. */
  readonly lastFailure: ConnectionFailure | undefined;
}

/** The tokens of a credential that has a secret instead, which stays the same. */
export const fixedToken = (secret: string): RequestTokens => ({
  get: async () => secret,
  renewed: async () => {
    throw Fault.forbidden('the secret of a credential is not renewed');
  },
  lastFailure: undefined,
});

/** The parts of the requests of a job. */
export interface Access<Credential> {
  readonly credential: Credential;
  readonly token: string;
  readonly job: Job;
}

export interface Http1ChannelOptions<Credential> {
  /** The name of the channel. */
  readonly channel: string;
  readonly definition: ChannelDefinition<Credential>;
  readonly credentials: Credentials;
  /** Signs statistics hashes. */
  readonly reportKey: KeyObject;
  readonly clock: Clock;
  /** Opens persistent connections of HTTP/1.1. */
  readonly connectHttp1: (settings: ConnectionSettings) => ProviderConnection;
  /** PEM of all CA certificates; undefined = the certificates of Node. */
  readonly ca?: readonly string[] | undefined;
  readonly url: (credential: Credential) => string;
  /** The result of a job that the provider would not accept. @default none */
  readonly unsuitable?: (credential: Credential, batch: Job['batch']) => SendResult | undefined;
  /** Creates the tokens of a credential, shared by all its senders. */
  readonly tokensOf: (credential: Credential) => RequestTokens;
  /** The request for a device (an index in the columns), without its body. Called again whenever the token changes. */
  readonly requestsWith: (access: Access<Credential>) => (device: number) => OutgoingRequest;
}

/** A channel whose provider takes one request per push over HTTP/1.1. */
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

  trouble(): SendResult {
    const { prepared, connection } = this.#deps;
    const { lastFailure } = prepared.tokens;
    return lastFailure === undefined ? troubleOf(connection) : connectionResults[lastFailure];
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
