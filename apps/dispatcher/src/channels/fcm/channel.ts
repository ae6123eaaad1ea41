import { fcmRefusal, localVerdicts, type Verdict } from '@tidings/delivery';
import { type Clock, Fault } from '@tidings/kernel';
import { type CompiledPayload, fcmPayload, fitsFcm, PayloadWriter } from '@tidings/messaging';
import { AccessToken } from '../../credentials/access-token.ts';
import type { Credentials } from '../../credentials/credentials.ts';
import type { ConnectionSettings, OutgoingRequest, ProviderConnection } from '../../providers/http2.ts';
import type { PostForm } from '../../providers/post-form.ts';
import { Connections } from '../connections.ts';
import { type ExchangeContext, PushExchange, type Refusal } from '../exchange.ts';
import type { Channel, Job, PushListener, Sender } from '../port.ts';
import { type FcmCredential, fcmCredential } from './credential.ts';

export interface FcmParts {
  readonly credentials: Credentials;
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
  readonly credential: FcmCredential | Verdict;
  readonly access: AccessToken | undefined;
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

  async open(job: Job): Promise<Sender | Verdict> {
    const { credential: reference } = job.batch;
    if (!reference) return localVerdicts.notConfigured;
    const { credentials, url = FCM, connect, ca, clock } = this.#parts;
    const stored = await credentials.read(reference);
    const gate = `${stored.application}/${stored.platform}`;
    let prepared = this.#prepared.get(gate);
    if (prepared?.version !== stored.version) {
      const credential = fcmCredential(stored);
      prepared = { version: stored.version, credential, access: this.#accessOf(credential) };
      this.#prepared.set(gate, prepared);
    }
    const { credential, access, version } = prepared;
    if ('category' in credential) return credential;
    const accessToken = await tokenOf(access!);
    if (accessToken === undefined) return localVerdicts.accessRefused;
    const tls = ca ? { ca: [...ca] } : {};
    const connection = this.#connections.of(gate, version, job.lane, () => connect({ url, tls }));
    const { projectId } = credential;
    return new FcmSender({
      job,
      gate,
      projectId,
      access: access!,
      accessToken,
      connection,
      writer: this.#writer,
      clock,
    });
  }

  close(): void {
    this.#connections.close();
  }

  #accessOf(credential: FcmCredential | Verdict): AccessToken | undefined {
    if ('category' in credential) return undefined;
    const { postForm, clock } = this.#parts;
    return new AccessToken({ account: credential.account, scope: SCOPE, postForm, clock });
  }
}

/** The access token, or undefined where the account is refused. */
async function tokenOf(access: AccessToken): Promise<string | undefined> {
  try {
    return await access.get();
  } catch (error) {
    if (Fault.from(error).kind === 'forbidden') return undefined;
    throw error;
  }
}

interface SenderParts {
  readonly job: Job;
  readonly gate: string;
  readonly projectId: string;
  readonly access: AccessToken;
  readonly accessToken: string;
  readonly connection: ProviderConnection;
  readonly writer: PayloadWriter;
  readonly clock: Clock;
}

class FcmSender implements Sender {
  readonly gate: string;
  readonly ttlSeconds: number | undefined;
  readonly #parts: SenderParts;
  readonly #payloads: (CompiledPayload | undefined)[] = [];
  readonly #exchanges: ExchangeContext;
  #request: OutgoingRequest;

  constructor(parts: SenderParts) {
    this.#parts = parts;
    const { job, gate, projectId, connection, clock } = parts;
    this.gate = gate;
    this.ttlSeconds = job.batch.content!.android?.ttlSeconds;
    this.#request = requestWith(projectId, parts.accessToken);
    const refusal = (status: number, body: string): Refusal => ({ verdict: fcmRefusal(status, body) });
    this.#exchanges = { connection, now: () => clock.now(), refusal, credential: parts.accessToken, refused: '' };
  }

  push(device: number, tag: number, deadline: number, listener: PushListener): 'written' | 'busy' | Verdict {
    const { job, connection, writer } = this.#parts;
    if (!connection.ready()) return 'busy';
    const { columns } = job;
    const body = writer.write(this.#payloadFor(columns.languages[device]!), columns, device, Infinity);
    if (!fitsFcm(body)) return localVerdicts.payloadTooLarge;
    const exchange = new PushExchange(tag, deadline, listener, this.#exchanges);
    return connection.request(this.#request, body, exchange) ? 'written' : 'busy';
  }

  whenReady(run: () => void): void {
    this.#parts.connection.whenReady(run);
  }

  downUntil(): number {
    return this.#parts.connection.downUntil();
  }

  async repair(): Promise<void> {
    const exchanges = this.#exchanges;
    exchanges.credential = await this.#parts.access.renewed(exchanges.refused);
    this.#request = requestWith(this.#parts.projectId, exchanges.credential);
  }

  #payloadFor(language: number): CompiledPayload {
    const { batch } = this.#parts.job;
    return (this.#payloads[language] ??= fcmPayload(batch, batch.languageNames[language] ?? ''));
  }
}

/** All that a request holds but its body: the token is in there. */
const requestWith = (projectId: string, accessToken: string): OutgoingRequest => ({
  path: `/v1/projects/${encodeURIComponent(projectId)}/messages:send`,
  shared: ['authorization', `Bearer ${accessToken}`, 'content-type', 'application/json'],
  own: [],
});
