import {
  type ChannelPayload,
  definitions,
  joiningHeader,
  localResults,
  type SendResult,
  sent,
  senderAddress,
  type SmppCredential,
  smppResult,
  type SmsParts,
  smsParts,
  type SmsPayload,
  submitHead,
  submitPdu,
} from '@tidings/channels';
import { tokenOf } from '@tidings/delivery';
import type { AnswerHeaders, Exchange, FailureCause, OutgoingRequest } from '@tidings/http2';
import { bucketOf } from '@tidings/kernel';
import type { PayloadWriter } from '@tidings/messaging';
import type { Throttler } from '../../throttle/throttles.ts';
import type { Job, PushListener, Sender } from '../channel-port.ts';
import { opened } from '../connections.ts';
import type { Prepared } from '../prepared.ts';
import type { WorkQueue } from './work-queue.ts';
import type { AcceptedPart, ReceiptStore, SmsDevice } from './receipt-store.ts';
import type { SmppBind } from './smpp-binds.ts';

const { sms } = definitions;

export interface Acceptance extends AcceptedPart {
  readonly ended: { accepted(): void } | undefined;
}

export interface SmppSenderDeps {
  readonly job: Job;
  readonly prepared: Prepared<SmppCredential, undefined>;
  readonly bind: SmppBind;
  readonly writer: PayloadWriter;
  readonly receipts: ReceiptStore;
  readonly acceptances: WorkQueue<Acceptance>;
  readonly key: Parameters<typeof sms.compile>[2];
}

export class SmppSender implements Sender {
  readonly credential: string;
  readonly settings: Throttler;
  readonly #deps: SmppSenderDeps;
  readonly #shared: Shared;
  readonly #payloads: (ChannelPayload | undefined)[] = [];
  readonly #texts: (SmsParts | undefined)[] = [];
  #progress: ReadonlyMap<number, number> = new Map();

  constructor(deps: SmppSenderDeps) {
    this.#deps = deps;
    this.credential = deps.prepared.fingerprint;
    this.settings = deps.prepared.settings;
    this.#shared = { ...deps, head: submitHead(senderAddress(deps.prepared.credential.sender)) };
  }

  async prepare(): Promise<SendResult | undefined> {
    const { bind, receipts, job } = this.#deps;
    this.#progress = await receipts.progressOf(job.batch);
    const isBackingOff = bind.connection.downUntil() > performance.now();
    try {
      await opened(bind.connection);
      return undefined;
    } catch (error) {
      const refusal = bind.refusal();
      if (refusal && !isBackingOff) return refusal;
      throw error;
    }
  }

  failure(): SendResult {
    return this.#deps.bind.failure();
  }

  push(device: number, tag: number, deadline: number, listener: PushListener): 'written' | 'busy' | SendResult {
    const { job, bind } = this.#deps;
    if (!bind.connection.ready()) return 'busy';
    const parts = this.#partsFor(device);
    if (!parts) return localResults.payloadTooLarge;
    const position = job.columns.positions[device]!;
    const next = Math.min(this.#progress.get(position) ?? 0, parts.parts.length - 1);
    const number = tokenOf(job.columns, device);
    const submission = new Submission(this.#shared, { position, number, parts, tag, listener, deadline, next });
    return submission.start() ? 'written' : 'busy';
  }

  whenReady(run: () => void): void {
    this.#deps.bind.connection.whenReady(run);
  }

  downUntil(): number {
    return this.#deps.bind.connection.downUntil();
  }

  async refresh(): Promise<void> {}

  #partsFor(device: number): SmsParts | undefined {
    const { job, writer, key } = this.#deps;
    const language = job.columns.languages[device]!;
    const cached = this.#texts[language];
    if (cached) return cached;
    const { batch, columns } = job;
    const { payload, limit } = (this.#payloads[language] ??= sms.compile(
      batch,
      batch.languageNames[language] ?? '',
      key,
    ));
    const body = writer.write(payload, columns, device, limit);
    if (!sms.fits(body, limit)) return undefined;
    const parts = smsParts((JSON.parse(body.toString('utf8')) as SmsPayload).text);
    if (payload.holes.length === 0) this.#texts[language] = parts;
    return parts;
  }
}

const request: OutgoingRequest = { path: '', shared: [], own: [] };

/** Nothing is in doubt, unlike after `connectionLost`. */
const interrupted: SendResult = { ...localResults.connectionLost };

interface Shared extends SmppSenderDeps {
  readonly head: Buffer;
}

interface Message {
  readonly position: number;
  readonly number: string;
  readonly parts: SmsParts;
  readonly tag: number;
  readonly listener: PushListener;
  readonly deadline: number;
  readonly next: number;
}

class Submission implements Exchange {
  readonly deadline: number;
  readonly #shared: Shared;
  readonly #message: Message;
  #next: number;

  constructor(shared: Shared, message: Message) {
    this.#shared = shared;
    this.#message = message;
    this.deadline = message.deadline;
    this.#next = message.next;
  }

  start(): boolean {
    const { number: to, parts } = this.#message;
    const { bind, head } = this.#shared;
    const [dataCoding, userData, header] = [parts.dataCoding, parts.parts[this.#next]!, this.#header()];
    return bind.connection.request(request, submitPdu({ head, to, dataCoding, header, userData }), this);
  }

  mayFlush(): boolean {
    return this.#message.listener.mayFlush();
  }

  answered(status: number, _: AnswerHeaders, id: string): void {
    if (status !== 0) {
      this.#end(smppResult(status));
      return;
    }
    const { bind, job, acceptances } = this.#shared;
    const { number, parts, position } = this.#message;
    const { length } = parts.parts;
    const isLast = ++this.#next === length;
    const ended = isLast ? this : undefined;
    acceptances.add({ batch: job.batch, position, bind: bind.account, id, number, parts: length, ended });
    if (!isLast) this.#continue();
  }

  accepted(): void {
    const { listener, tag } = this.#message;
    listener.answered(tag, sent);
  }

  failed(cause: FailureCause): void {
    const { listener, tag } = this.#message;
    if (cause === 'unprocessed' && this.#next === this.#message.next) listener.unprocessed(tag);
    else if (cause === 'unprocessed') this.#end(interrupted);
    else this.#end(cause === 'lost' ? localResults.connectionLost : localResults.timeout);
  }

  /** The reference is equal in every try, and differs in consecutive messages. */
  #header(): Buffer | undefined {
    const { position, parts } = this.#message;
    const { length } = parts.parts;
    if (length === 1) return undefined;
    const reference = bucketOf(`${this.#shared.job.batch.messageId}/${position}`, 256);
    return joiningHeader(reference, length, this.#next + 1);
  }

  #continue(): void {
    const { connection } = this.#shared.bind;
    if (!this.mayFlush() || this.start()) return;
    if (performance.now() >= this.deadline) this.#end(localResults.timeout);
    else if (!connection.isOpen() && connection.downUntil() > performance.now()) this.#end(interrupted);
    else connection.whenReady(() => this.#continue());
  }

  #end(result: SendResult): void {
    const { listener, tag, position } = this.#message;
    if (this.#next === 0 || result.then.do !== 'retry') {
      listener.answered(tag, result);
      return;
    }
    const { receipts, job } = this.#shared;
    const device: SmsDevice = { batch: job.batch, position };
    receipts.saveProgress(device, this.#next).then(
      () => listener.answered(tag, result),
      // No store knows the accepted parts, so the next try would send them again.
      () => listener.answered(tag, localResults.internalError),
    );
  }
}
