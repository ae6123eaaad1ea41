import { createHash, createPublicKey, type KeyObject } from 'node:crypto';
import type { ConnectionOptions } from 'node:tls';
import {
  type ApnsRefusal,
  apnsRefusal,
  type BatchColumns,
  localResults,
  tokenOf,
  type SendResult,
} from '@tidings/delivery';
import type { SendBatch } from '@tidings/events';
import type { ConnectionSettings, ProviderConnection } from '@tidings/http2';
import type { Clock } from '@tidings/kernel';
import {
  apnsKind,
  apnsPayload,
  type ApnsPayloadKind,
  type CompiledPayload,
  type MessageKey,
  PayloadWriter,
} from '@tidings/messaging';
import { type Credential, type Credentials, isDeleted, settingsOf } from '../../credentials/credentials.ts';
import { fingerprint } from '../../credentials/fingerprint.ts';
import type { Throttler } from '../../throttles.ts';
import { Connections, opened, troubleOf } from '../connections.ts';
import { type ExchangeContext, PushExchange } from '../exchange.ts';
import { keyOfBatch } from '../message-key.ts';
import type { Channel, Job, PushListener, Sender } from '../port.ts';
import { type ApnsCredential, apnsCredential, type ApnsProof } from './credential.ts';
import { ProviderToken } from './provider-token.ts';

export interface ApnsParts {
  readonly credentials: Credentials;
  /** What statistics hashes are signed with. */
  readonly reportKey: KeyObject;
  /** `http://` means HTTP/2 without TLS. @default Apple's */
  readonly urls?: { readonly production?: string | undefined; readonly sandbox?: string | undefined };
  readonly connect: (settings: ConnectionSettings) => ProviderConnection;
  readonly clock: Clock;
  /** PEM of further authorities. */
  readonly ca?: readonly string[] | undefined;
}

const PRODUCTION = 'https://api.push.apple.com';
const SANDBOX = 'https://api.sandbox.push.apple.com';

interface Prepared {
  readonly version: number;
  readonly credential: ApnsCredential | SendResult;
  readonly token: ProviderToken | undefined;
  readonly fingerprint: string;
}

/** Apple's push service. */
export class ApnsChannel implements Channel {
  readonly #parts: ApnsParts;
  readonly #connections = new Connections();
  readonly #prepared = new Map<string, Prepared>();
  readonly #writer = new PayloadWriter();

  constructor(parts: ApnsParts) {
    this.#parts = parts;
  }

  async open(job: Job): Promise<Sender | SendResult> {
    const { credential: reference } = job.batch;
    if (!reference) return localResults.notConfigured;
    const stored = await this.#parts.credentials.read(reference);
    if (isDeleted(reference, stored)) return localResults.applicationDeleted;
    const settings = settingsOf(stored);
    const { credential, token, fingerprint } = await this.#prepare(settings.reference, stored);
    if ('category' in credential) return credential;
    const connection = this.#connections.of(settings, job.lane, () => this.#connect(credential));
    const parts = { job, settings, fingerprint, credential, token, connection };
    return new ApnsSender({
      ...parts,
      writer: this.#writer,
      clock: this.#parts.clock,
      reportKey: this.#parts.reportKey,
    });
  }

  ttlSeconds({ content }: SendBatch): number | undefined {
    return content?.ios?.ttlSeconds;
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

  /** What a stored credential comes to: opened once per version, for all who send with it. */
  async #prepare(reference: string, stored: Credential): Promise<Prepared> {
    const known = this.#prepared.get(reference);
    if (known?.version === stored.version) return known;
    const credential = await apnsCredential(stored);
    const since = this.#prepared.get(reference);
    if (since && since.version >= stored.version) return since;
    const token = providerTokenOf(credential, this.#parts.clock);
    const prepared = { version: stored.version, credential, token, fingerprint: fingerprintOf(credential) };
    this.#prepared.set(reference, prepared);
    return prepared;
  }

  #connect({ sandbox, proof }: ApnsCredential): ProviderConnection {
    const { urls, connect, ca } = this.#parts;
    const url = sandbox ? (urls?.sandbox ?? SANDBOX) : (urls?.production ?? PRODUCTION);
    return connect({ url, tls: tlsOf(proof, ca) });
  }
}

function fingerprintOf(credential: ApnsCredential | SendResult): string {
  if (!('proof' in credential)) return '';
  const { sandbox, proof } = credential;
  const environment = sandbox ? 'sandbox' : 'production';
  if (proof.by === 'certificate') return fingerprint('apns', [environment, proof.tls.cert]);
  const key = createPublicKey(proof.key).export({ type: 'spki', format: 'der' });
  return fingerprint('apns', [environment, proof.teamId, proof.keyId, key.toString('base64')]);
}

const providerTokenOf = (credential: ApnsCredential | SendResult, clock: Clock): ProviderToken | undefined =>
  'proof' in credential && credential.proof.by === 'token' ? new ProviderToken(credential.proof, clock) : undefined;

const tlsOf = (proof: ApnsProof, ca: readonly string[] | undefined): ConnectionOptions => ({
  ...(proof.by === 'certificate' ? proof.tls : {}),
  ...(ca ? { ca: [...ca] } : {}),
});

interface SenderParts {
  readonly job: Job;
  readonly settings: Throttler;
  readonly fingerprint: string;
  readonly credential: ApnsCredential;
  readonly token: ProviderToken | undefined;
  readonly connection: ProviderConnection;
  readonly writer: PayloadWriter;
  readonly reportKey: KeyObject;
  readonly clock: Clock;
}

const hex = (value: number | bigint, digits: number): string => value.toString(16).padStart(digits, '0');

/**
 * What the ids of all pushes of a batch begin with: a UUID but for its last eight digits, which are the device's number. The same message
 * to the same device has the same id, and so the same collapse id: a repeat replaces what it repeats.
 */
function idPrefix({ messageId, bucket, application }: Job['batch']): string {
  const message = hex(messageId, 16);
  const hash = createHash('sha256')
    .update(bucket === 0 ? application : `${application}/${bucket}`)
    .digest('hex');
  return `${message.slice(0, 8)}-${message.slice(8, 12)}-${message.slice(12)}-${hash.slice(0, 4)}-${hash.slice(4, 8)}`;
}

/** Headers that all pushes of a batch share, names and values in turn. */
function sharedHeaders(batch: Job['batch'], { pushType }: ApnsPayloadKind, bundleId: string): readonly string[] {
  const ttlSeconds = batch.content?.ios?.ttlSeconds;
  const releasedAt = Math.floor((batch.releasedAt?.getTime() ?? 0) / 1000);
  const expiration = ttlSeconds === 0 ? '0' : String(releasedAt + (ttlSeconds ?? 0));
  return [
    'apns-topic',
    pushType === 'voip' ? `${bundleId}.voip` : bundleId,
    'apns-push-type',
    pushType,
    'apns-priority',
    pushType === 'background' ? '5' : '10',
    ...(ttlSeconds === undefined ? [] : ['apns-expiration', expiration]),
  ];
}

/** Tokens for request paths. What would break a request is percent-encoded, and APNs refuses it. */
class PathTokens {
  readonly #columns: BatchColumns;
  /** All tokens, one after the other, where none needs care: the rule. */
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
  readonly #parts: SenderParts;
  readonly #kind: ApnsPayloadKind;
  readonly #shared: readonly string[];
  readonly #idPrefix: string;
  readonly #key: MessageKey;
  readonly #payloads: (CompiledPayload | undefined)[] = [];
  readonly #exchanges: ExchangeContext;
  readonly #tokens: PathTokens;
  /** Shared headers with an authorization: made anew only when that changes. */
  #headers: readonly string[] = [];

  constructor(parts: SenderParts) {
    this.#parts = parts;
    const { job, credential, connection, clock } = parts;
    const content = job.batch.content!;
    this.credential = parts.fingerprint;
    this.settings = parts.settings;
    this.#kind = apnsKind(content);
    this.#shared = sharedHeaders(job.batch, this.#kind, credential.bundleId);
    this.#idPrefix = idPrefix(job.batch);
    this.#key = keyOfBatch(parts.reportKey, job.batch);
    this.#tokens = new PathTokens(job.columns);
    this.#exchanges = {
      credential: '',
      refused: '',
      connection,
      now: () => clock.now(),
      refusal: (status, body): ApnsRefusal => apnsRefusal(status, body),
    };
  }

  async prepare(): Promise<undefined> {
    await opened(this.#parts.connection);
  }

  trouble(): SendResult {
    return troubleOf(this.#parts.connection);
  }

  push(device: number, tag: number, deadline: number, listener: PushListener): 'written' | 'busy' | SendResult {
    const { job, connection, writer } = this.#parts;
    if (!connection.ready()) return 'busy';
    const { columns } = job;
    const body = writer.write(this.#payloadFor(columns.languages[device]!), columns, device, this.#kind.limit);
    if (body.length > this.#kind.limit) return localResults.payloadTooLarge;
    const id = this.#idPrefix + hex(columns.chunk * 65_536 + columns.positions[device]!, 8);
    const request = {
      path: `/3/device/${this.#tokens.of(device)}`,
      shared: this.#currentHeaders(),
      own: ['apns-id', id, 'apns-collapse-id', id],
    };
    const exchange = new PushExchange(tag, deadline, listener, this.#exchanges);
    return connection.request(request, body, exchange) ? 'written' : 'busy';
  }

  whenReady(run: () => void): void {
    this.#parts.connection.whenReady(run);
  }

  downUntil(): number {
    return this.#parts.connection.downUntil();
  }

  async refresh(): Promise<void> {
    this.#parts.token?.renew(this.#exchanges.refused);
  }

  #payloadFor(language: number): CompiledPayload {
    const { batch } = this.#parts.job;
    return (this.#payloads[language] ??= apnsPayload(batch, batch.languageNames[language] ?? '', this.#key));
  }

  #currentHeaders(): readonly string[] {
    const authorization = this.#parts.token?.authorization() ?? '';
    if (authorization !== this.#exchanges.credential || this.#headers.length === 0) {
      this.#exchanges.credential = authorization;
      this.#headers = authorization === '' ? this.#shared : ['authorization', authorization, ...this.#shared];
    }
    return this.#headers;
  }
}
