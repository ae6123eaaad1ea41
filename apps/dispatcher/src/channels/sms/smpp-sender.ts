import {
  type ChannelPayload,
  definitions,
  joiningHeader,
  localResults,
  readMessageId,
  type SendResult,
  sent,
  senderAddress,
  type SmppCredential,
  smppResult,
  type SmsParts,
  smsParts,
  type SmsPayload,
  submitBody,
  submitHead,
} from '@tidings/channels';
import { tokenOf } from '@tidings/delivery';
import type { AnswerHeaders, Exchange, FailureCause, OutgoingRequest } from '@tidings/http2';
import type { PayloadWriter } from '@tidings/messaging';
import type { Throttler } from '../../throttle/throttles.ts';
import type { Job, PushListener, Sender } from '../channel-port.ts';
import { opened } from '../connections.ts';
import type { Prepared } from '../prepared.ts';
import type { Gathered } from './gathered.ts';
import type { AcceptedPart, ReceiptStore, SmsDevice } from './receipt-store.ts';
import type { SmppBind } from './smpp-binds.ts';

const { sms } = definitions;

/** An accepted part, and the message that ends with it. */
export interface Acceptance {
  readonly part: AcceptedPart;
  /** Undefined unless it is the last part. */
  readonly done: (() => void) | undefined;
}

export interface SmppSenderDeps {
  readonly job: Job;
  readonly prepared: Prepared<SmppCredential, undefined>;
  readonly bind: SmppBind;
  readonly writer: PayloadWriter;
  readonly receipts: ReceiptStore;
  /** Stores accepted parts, and answers messages that end with them. */
  readonly acceptances: Gathered<Acceptance>;
  /** The message key of statistics hashes, which no SMS carries. */
  readonly key: Parameters<typeof sms.compile>[2];
}

/** Sends SMS of a job by SMPP. The parts of a message follow each other: after a refusal no further part is sent. */
export class SmppSender implements Sender {
  readonly credential: string;
  readonly settings: Throttler;
  readonly #deps: SmppSenderDeps;
  readonly #head: Buffer;
  readonly #payloads: (ChannelPayload | undefined)[] = [];
  /** Texts without values of devices, by language. */
  readonly #texts: (SmsParts | undefined)[] = [];
  /** Accepted parts of devices whose message was interrupted, by position. */
  #begun: ReadonlyMap<number, number> = new Map();

  constructor(deps: SmppSenderDeps) {
    this.#deps = deps;
    this.credential = deps.prepared.fingerprint;
    this.settings = deps.prepared.settings;
    this.#head = submitHead(senderAddress(deps.prepared.credential.sender));
  }

  async prepare(): Promise<SendResult | undefined> {
    const { bind, receipts, job } = this.#deps;
    this.#begun = await receipts.begun(job.batch);
    try {
      await opened(bind.connection);
      return undefined;
    } catch (error) {
      const refusal = bind.refusal();
      if (refusal) return refusal;
      throw error;
    }
  }

  trouble(): SendResult {
    return this.#deps.bind.trouble();
  }

  push(device: number, tag: number, deadline: number, listener: PushListener): 'written' | 'busy' | SendResult {
    const { job, bind } = this.#deps;
    if (!bind.connection.ready()) return 'busy';
    const parts = this.#partsFor(device);
    if (!parts) return localResults.payloadTooLarge;
    const position = job.columns.positions[device]!;
    const next = Math.min(this.#begun.get(position) ?? 0, parts.parts.length - 1);
    const number = tokenOf(job.columns, device);
    const submission = new Submission(
      { ...this.#deps, head: this.#head, position, number, parts, tag, listener },
      deadline,
      next,
    );
    return submission.start() ? 'written' : 'busy';
  }

  whenReady(run: () => void): void {
    this.#deps.bind.connection.whenReady(run);
  }

  downUntil(): number {
    return this.#deps.bind.connection.downUntil();
  }

  /** A system id and its password are all that there is. */
  async refresh(): Promise<void> {}

  #partsFor(device: number): SmsParts | undefined {
    const { job, writer, key } = this.#deps;
    const language = job.columns.languages[device]!;
    const known = this.#texts[language];
    if (known) return known;
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

/** SMPP has no paths. */
const request: OutgoingRequest = { path: '', shared: [], own: [] };

/** The connection was lost before the next part was written. Unlike `connectionLost`, nothing is in doubt. */
const interrupted: SendResult = { ...localResults.connectionLost };

interface SubmissionDeps extends SmppSenderDeps {
  readonly head: Buffer;
  readonly position: number;
  readonly number: string;
  readonly parts: SmsParts;
  readonly tag: number;
  readonly listener: PushListener;
}

/** The message to one device: its parts are submitted one after the other, and those that were accepted are never submitted again. */
class Submission implements Exchange {
  readonly deadline: number;
  readonly #deps: SubmissionDeps;
  #next: number;

  constructor(deps: SubmissionDeps, deadline: number, next: number) {
    this.#deps = deps;
    this.deadline = deadline;
    this.#next = next;
  }

  /** Writes the next part; false if there is no room for it. */
  start(): boolean {
    const { bind, head, number, parts, job, position } = this.#deps;
    const { length } = parts.parts;
    // The same for every try.
    const reference = Number(job.batch.messageId & 0xffn) ^ (position & 0xff);
    const body = submitBody({
      head,
      to: number,
      dataCoding: parts.dataCoding,
      header: length === 1 ? undefined : joiningHeader(reference, length, this.#next + 1),
      userData: parts.parts[this.#next]!,
    });
    return bind.connection.request(request, body, this);
  }

  mayGo(): boolean {
    return this.#deps.listener.mayGo();
  }

  answered(status: number, _: AnswerHeaders, body: string): void {
    if (status !== 0) {
      this.#end(smppResult(status));
      return;
    }
    const { bind, number, parts, job, position, acceptances, listener, tag } = this.#deps;
    const { length } = parts.parts;
    const isLast = ++this.#next === length;
    const id = readMessageId(Buffer.from(body, 'latin1'));
    const part = { batch: job.batch, position, bind: bind.account, id, number, parts: length };
    acceptances.add({ part, done: isLast ? () => listener.answered(tag, sent) : undefined });
    if (!isLast) this.#continue();
  }

  failed(cause: FailureCause): void {
    if (cause === 'unprocessed') this.#end(interrupted);
    else this.#end(cause === 'lost' ? localResults.connectionLost : localResults.timeout);
  }

  /** Writes the next part as soon as there is room. */
  #continue(): void {
    const { connection } = this.#deps.bind;
    if (this.start()) return;
    if (!this.mayGo()) return;
    if (Date.now() >= this.deadline) this.#end(localResults.timeout);
    else if (!connection.isOpen() && connection.downUntil() > Date.now()) this.#end(interrupted);
    else connection.whenReady(() => this.#continue());
  }

  #end(result: SendResult): void {
    const { listener, tag, receipts, job, position } = this.#deps;
    if (this.#next === 0 || result.then.do !== 'retry') {
      listener.answered(tag, result);
      return;
    }
    const device: SmsDevice = { batch: job.batch, position };
    receipts.remember(device, this.#next).then(
      () => listener.answered(tag, result),
      // Without a memory of them, the first parts would be sent again.
      () => listener.answered(tag, localResults.internalError),
    );
  }
}
