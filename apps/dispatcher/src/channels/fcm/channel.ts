import { createPublicKey, type KeyObject } from 'node:crypto';
import { connectionResults, fcmRefusal, localResults, type SendResult } from '@tidings/delivery';
import type { SendBatch } from '@tidings/events';
import type { ConnectionSettings, OutgoingRequest, ProviderConnection } from '@tidings/http2';
import { type Clock, Fault } from '@tidings/kernel';
import { type CompiledPayload, fcmPayload, fitsFcm, type MessageKey, PayloadWriter } from '@tidings/messaging';
import { AccessToken } from '../../credentials/access-token.ts';
import { type Credentials, isDeleted, settingsOf } from '../../credentials/credentials.ts';
import { fingerprint } from '../../credentials/fingerprint.ts';
import type { PostForm } from '../../providers/post-form.ts';
import type { Throttler } from '../../throttles.ts';
import { Connections, opened, troubleOf } from '../connections.ts';
import { type ExchangeContext, PushExchange, type Refusal } from '../exchange.ts';
import { keyOfBatch } from '../message-key.ts';
import type { Channel, Job, PushListener, Sender } from '../port.ts';
import { type FcmCredential, fcmCredential } from './credential.ts';

export interface FcmParts {
  readonly credentials: Credentials;
  /** What statistics hashes are signed with. */
  readonly reportKey: KeyObject;
  /** `http://` means HTTP/2 without TLS. @default Google's */
  readonly url?: string | undefined;
  readonly connect: (settings: ConnectionSettings) => ProviderConnection;
  readonly postForm: PostForm;
  readonly clock: Clock;
  /** PEM of further authorities. */
  readonly ca?: readonly string[] | undefined;
}

const FCM = 'https://fcm.googleapis.com';
const SCOPE = 'https://www.googleapis.com/auth/firebase.messaging';

interface Prepared {
  readonly version: number;
  readonly credential: FcmCredential | SendResult;
  readonly access: AccessToken | undefined;
  readonly fingerprint: string;
}

/** Firebase Cloud Messaging, HTTP v1. */
export class FcmChannel implements Channel {
  readonly #parts: FcmParts;
  readonly #connections = new Connections();
  readonly #prepared = new Map<string, Prepared>();
  readonly #writer = new PayloadWriter();

  constructor(parts: FcmParts) {
    this.#parts = parts;
  }

  async open(job: Job): Promise<Sender | SendResult> {
    const { credential: reference } = job.batch;
    if (!reference) return localResults.notConfigured;
    const { credentials, url = FCM, connect, ca, clock, reportKey } = this.#parts;
    const stored = await credentials.read(reference);
    if (isDeleted(reference, stored)) return localResults.applicationDeleted;
    const settings = settingsOf(stored);
    let prepared = this.#prepared.get(settings.reference);
    if (prepared?.version !== stored.version) {
      const credential = fcmCredential(stored);
      prepared = {
        version: stored.version,
        credential,
        access: this.#accessOf(credential),
        fingerprint: fingerprintOf(credential),
      };
      this.#prepared.set(settings.reference, prepared);
    }
    const { credential, access, fingerprint: id } = prepared;
    if ('category' in credential) return credential;
    const tls = ca ? { ca: [...ca] } : {};
    const connection = this.#connections.of(settings, job.lane, () => connect({ url, tls }));
    const { projectId } = credential;
    const parts = { job, settings, fingerprint: id, projectId, access: access!, connection };
    return new FcmSender({ ...parts, writer: this.#writer, clock, reportKey });
  }

  ttlSeconds({ content }: SendBatch): number | undefined {
    return content?.android?.ttlSeconds;
  }

  applications(): readonly string[] {
    const prepared = [...this.#prepared.keys()].map((reference) => reference.slice(0, reference.indexOf('/')));
    return [...new Set([...this.#parts.credentials.applications(), ...prepared])];
  }

  forget(application: string): void {
    this.#parts.credentials.forget(application);
    for (const key of this.#prepared.keys()) if (key.startsWith(`${application}/`)) this.#prepared.delete(key);
    this.#connections.forget(application);
  }

  close(): void {
    this.#connections.close();
  }

  #accessOf(credential: FcmCredential | SendResult): AccessToken | undefined {
    if ('category' in credential) return undefined;
    const { postForm, clock } = this.#parts;
    return new AccessToken({ account: credential.account, scope: SCOPE, postForm, clock });
  }
}

function fingerprintOf(credential: FcmCredential | SendResult): string {
  if ('category' in credential) return '';
  const { projectId, account } = credential;
  const key = createPublicKey(account.key).export({ type: 'spki', format: 'der' });
  return fingerprint('fcm', [projectId, account.clientEmail, key.toString('base64')]);
}

interface SenderParts {
  readonly job: Job;
  readonly settings: Throttler;
  readonly fingerprint: string;
  readonly projectId: string;
  readonly access: AccessToken;
  readonly connection: ProviderConnection;
  readonly writer: PayloadWriter;
  readonly reportKey: KeyObject;
  readonly clock: Clock;
}

class FcmSender implements Sender {
  readonly credential: string;
  readonly settings: Throttler;
  readonly #parts: SenderParts;
  readonly #key: MessageKey;
  readonly #payloads: (CompiledPayload | undefined)[] = [];
  readonly #exchanges: ExchangeContext;
  #request: OutgoingRequest;

  constructor(parts: SenderParts) {
    this.#parts = parts;
    this.#key = keyOfBatch(parts.reportKey, parts.job.batch);
    const { connection, clock } = parts;
    this.credential = parts.fingerprint;
    this.settings = parts.settings;
    this.#request = requestWith(parts.projectId, '');
    const refusal = (status: number, body: string): Refusal => ({ result: fcmRefusal(status, body) });
    this.#exchanges = { connection, now: () => clock.now(), refusal, credential: '', refused: '' };
  }

  async prepare(): Promise<SendResult | undefined> {
    const { access, connection } = this.#parts;
    try {
      this.#use(await access.get());
    } catch (error) {
      if (Fault.from(error).kind === 'forbidden') return localResults.accessRefused;
      throw error;
    }
    await opened(connection);
    return undefined;
  }

  trouble(): SendResult {
    const { access, connection } = this.#parts;
    return access.lastFailure === undefined ? troubleOf(connection) : connectionResults[access.lastFailure];
  }

  push(device: number, tag: number, deadline: number, listener: PushListener): 'written' | 'busy' | SendResult {
    const { job, connection, writer } = this.#parts;
    if (!connection.ready()) return 'busy';
    const { columns } = job;
    const body = writer.write(this.#payloadFor(columns.languages[device]!), columns, device, Infinity);
    if (!fitsFcm(body)) return localResults.payloadTooLarge;
    const exchange = new PushExchange(tag, deadline, listener, this.#exchanges);
    return connection.request(this.#request, body, exchange) ? 'written' : 'busy';
  }

  whenReady(run: () => void): void {
    this.#parts.connection.whenReady(run);
  }

  downUntil(): number {
    return this.#parts.connection.downUntil();
  }

  async refresh(): Promise<void> {
    this.#use(await this.#parts.access.renewed(this.#exchanges.refused));
  }

  #use(accessToken: string): void {
    if (accessToken === this.#exchanges.credential) return;
    this.#exchanges.credential = accessToken;
    this.#request = requestWith(this.#parts.projectId, accessToken);
  }

  #payloadFor(language: number): CompiledPayload {
    const { batch } = this.#parts.job;
    return (this.#payloads[language] ??= fcmPayload(batch, batch.languageNames[language] ?? '', this.#key));
  }
}

/** All that a request holds but its body: the token is in there. */
const requestWith = (projectId: string, accessToken: string): OutgoingRequest => ({
  path: `/v1/projects/${encodeURIComponent(projectId)}/messages:send`,
  shared: ['authorization', `Bearer ${accessToken}`, 'content-type', 'application/json'],
  own: [],
});
