import {
  type ChannelPayload,
  type FcmCredential,
  type SendResult,
  connectionResults,
  definitions,
  localResults,
} from '@tidings/channels';
import type { ConnectionSettings, OutgoingRequest, ProviderConnection } from '@tidings/http2';
import type { KeyObject } from 'node:crypto';
import type { Credentials } from '../credentials/credential-cache.ts';
import type { Clock } from '@tidings/kernel';
import type { MessageKey } from '@tidings/messaging';
import { AccessToken, tokenRefusalOf } from '../credentials/access-token.ts';
import { serviceAccountGrant } from '../credentials/grants.ts';
import type { PostForm } from '../post-form.ts';
import type { Throttler } from '../../throttle/throttles.ts';
import { opened, connectionResult } from '../connections.ts';
import { http2Channel, type SenderDeps } from '../http2-channel.ts';
import { type ExchangeContext, PushExchange } from '../push-exchange.ts';
import { keyOfBatch } from '../message-key.ts';
import type { Channel, PushListener, Sender } from '../channel-port.ts';

export interface FcmDeps {
  readonly credentials: Credentials;
  readonly reportKey: KeyObject;
  readonly url?: string | undefined;
  readonly connect: (settings: ConnectionSettings) => ProviderConnection;
  readonly postForm: PostForm;
  readonly clock: Clock;
  readonly ca?: readonly string[] | undefined;
}

const FCM = 'https://fcm.googleapis.com';
const SCOPE = 'https://www.googleapis.com/auth/firebase.messaging';

const { fcm } = definitions;

export const fcmChannel = ({ url = FCM, connect, postForm, ca, ...deps }: FcmDeps): Channel =>
  http2Channel<FcmCredential, AccessToken>({
    ...deps,
    channel: 'fcm',
    definition: fcm,
    tokensOf: ({ account }) =>
      new AccessToken({ grant: serviceAccountGrant(account, SCOPE), postForm, clock: deps.clock }),
    connect: () => connect({ url, tls: ca ? { ca: [...ca] } : {} }),
    sender: (sending) => new FcmSender(sending),
  });

class FcmSender implements Sender {
  readonly credential: string;
  readonly settings: Throttler;
  readonly #deps: SenderDeps<FcmCredential, AccessToken>;
  readonly #key: MessageKey;
  readonly #payloads: (ChannelPayload | undefined)[] = [];
  readonly #exchanges: ExchangeContext;
  #request: OutgoingRequest;

  constructor(deps: SenderDeps<FcmCredential, AccessToken>) {
    this.#deps = deps;
    this.#key = keyOfBatch(deps.reportKey, deps.job.batch);
    const { prepared, connection, clock } = deps;
    this.credential = prepared.fingerprint;
    this.settings = prepared.settings;
    this.#request = requestWith(prepared.credential.projectId, '');
    this.#exchanges = {
      credential: '',
      refused: '',
      connection,
      now: () => clock.now(),
      refusal: (status, body) => fcm.refusal(status, body),
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
    if (!connection.ready()) return 'busy';
    const { columns } = job;
    const { payload, limit } = this.#payloadFor(columns.languages[device]!);
    const body = writer.write(payload, columns, device, limit);
    if (!fcm.fits(body, limit)) return localResults.payloadTooLarge;
    const exchange = new PushExchange(tag, deadline, listener, this.#exchanges);
    return connection.request(this.#request, body, exchange) ? 'written' : 'busy';
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

  #use(accessToken: string): void {
    if (accessToken === this.#exchanges.credential) return;
    this.#exchanges.credential = accessToken;
    this.#request = requestWith(this.#deps.prepared.credential.projectId, accessToken);
  }

  #payloadFor(language: number): ChannelPayload {
    const { batch } = this.#deps.job;
    return (this.#payloads[language] ??= fcm.compile(batch, batch.languageNames[language] ?? '', this.#key));
  }
}

const requestWith = (projectId: string, accessToken: string): OutgoingRequest => ({
  path: `/v1/projects/${encodeURIComponent(projectId)}/messages:send`,
  shared: ['authorization', `Bearer ${accessToken}`, 'content-type', 'application/json'],
  own: [],
});
