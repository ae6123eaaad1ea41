import {
  type ChannelPayload,
  definitions,
  localResults,
  type SendResult,
  type SmsPayload,
  type TwilioCredential,
  twilioCallback,
} from '@tidings/channels';
import { tokenOf } from '@tidings/delivery';
import type { OutgoingRequest, ProviderConnection } from '@tidings/http2';
import { type Clock, withoutTrailingSlashes } from '@tidings/kernel';
import type { MessageKey, PayloadWriter } from '@tidings/messaging';
import type { Throttler } from '../../throttle/throttles.ts';
import type { Job, PushListener, Sender } from '../channel-port.ts';
import { opened, connectionResult } from '../connections.ts';
import type { Prepared } from '../prepared.ts';
import { type ExchangeContext, PushExchange } from '../push-exchange.ts';

const { sms } = definitions;

export interface TwilioSenderDeps {
  readonly job: Job;
  readonly prepared: Prepared<TwilioCredential, undefined>;
  readonly connection: ProviderConnection;
  readonly writer: PayloadWriter;
  readonly clock: Clock;
  readonly key: MessageKey;
  readonly publicUrl: string | undefined;
}

const VERSION = '2010-04-01';

function requestWith({ url, account, token }: TwilioCredential): OutgoingRequest {
  const base = withoutTrailingSlashes(new URL(url).pathname);
  const basic = Buffer.from(`${account}:${token}`).toString('base64');
  return {
    path: `${base}/${VERSION}/Accounts/${encodeURIComponent(account)}/Messages.json`,
    shared: ['authorization', `Basic ${basic}`, 'content-type', 'application/x-www-form-urlencoded'],
    own: [],
  };
}

export class TwilioSender implements Sender {
  readonly credential: string;
  readonly settings: Throttler;
  readonly #deps: TwilioSenderDeps;
  readonly #request: OutgoingRequest;
  readonly #callback: string | undefined;
  readonly #exchanges: ExchangeContext;
  readonly #payloads: (ChannelPayload | undefined)[] = [];

  constructor(deps: TwilioSenderDeps) {
    this.#deps = deps;
    const { prepared, connection, clock } = deps;
    this.credential = prepared.fingerprint;
    this.settings = prepared.settings;
    this.#request = requestWith(prepared.credential);
    const { publicUrl, job } = deps;
    const { url } = prepared.credential;
    this.#callback = publicUrl === undefined ? undefined : twilioCallback(publicUrl, url, job.batch.application);
    this.#exchanges = {
      connection,
      credential: '',
      refused: '',
      now: () => clock.now(),
      refusal: (status, body) => sms.refusal(status, body),
    };
  }

  async prepare(): Promise<SendResult | undefined> {
    await opened(this.#deps.connection);
    return undefined;
  }

  failure(): SendResult {
    const { connection } = this.#deps;
    return connection.lastFailure()?.cause === 'private_address'
      ? localResults.serverAddressPrivate
      : connectionResult(connection);
  }

  push(device: number, tag: number, deadline: number, listener: PushListener): 'written' | 'busy' | SendResult {
    const { job, connection, writer } = this.#deps;
    if (!connection.ready()) return 'busy';
    const { payload, limit } = this.#payloadFor(job.columns.languages[device]!);
    const body = writer.write(payload, job.columns, device, limit);
    if (!sms.fits(body, limit)) return localResults.payloadTooLarge;
    const form = this.#formOf(JSON.parse(body.toString('utf8')) as SmsPayload, tokenOf(job.columns, device));
    const exchange = new PushExchange(tag, deadline, listener, this.#exchanges);
    return connection.request(this.#request, form, exchange) ? 'written' : 'busy';
  }

  whenReady(run: () => void): void {
    this.#deps.connection.whenReady(run);
  }

  downUntil(): number {
    return this.#deps.connection.downUntil();
  }

  async refresh(): Promise<void> {}

  /** The API has no subject: it becomes the first line of the text. */
  #formOf({ text, subject = '', media = [], p }: SmsPayload, to: string): Buffer {
    const body = [subject, text].filter((line) => line !== '').join('\n');
    const form = new URLSearchParams({ To: to, From: this.#deps.prepared.credential.sender });
    if (body !== '') form.set('Body', body);
    for (const each of media) form.append('MediaUrl', each);
    if (this.#callback !== undefined && p !== undefined) form.set('StatusCallback', this.#callback + p);
    return Buffer.from(form.toString());
  }

  #payloadFor(language: number): ChannelPayload {
    const { job, key, prepared } = this.#deps;
    const { batch } = job;
    const name = batch.languageNames[language] ?? '';
    return (this.#payloads[language] ??= sms.compile(batch, name, key, prepared.credential));
  }
}
