import {
  answerTo,
  bindBody,
  Command,
  encodePdu,
  nextSequence,
  type PduBody,
  PduOutput,
  PduReader,
  readMessageId,
  Status,
  type TakePdu,
} from '@tidings/channels';
import {
  type ConnectionSettings,
  type Exchange,
  flooded,
  isFlood,
  type Link,
  type LinkEvents,
  type OpenLink,
  type OutgoingRequest,
} from '@tidings/http2';
import { connect, isIP, type Socket } from 'node:net';

/** Parameters of a bind, and the receiver of its requests. */
export interface SmppBind {
  readonly systemId: string;
  readonly password: string;
  /** The SMSC refused the bind with this status; 0 = it accepted it. */
  bound(status: number): void;
  /** A deliver_sm has come, which the link is to answer, once. The body is valid until this returns. */
  received(body: Buffer, link: DeliveryLink, sequence: number): void;
}

/** The bind that a deliver_sm came on. */
export interface DeliveryLink {
  answerDelivery(sequence: number, status: number): void;
}

/** Messages that an SMSC has not answered. Many SMSCs accept no more than this on a bind. */
export const WINDOW = 100;
/** Messages on a bind that has answered none: an SMSC that answers no message leaves these in doubt. */
const FIRST_WINDOW = 10;
/** A bind is given up when a message on it is overdue and none was answered for this time. */
const DEAF_MS = 10_000;
/** A bind without traffic is kept open by enquire_link: SMSCs close silent ones after a minute or more. */
const KEEP_ALIVE_MS = 30_000;
/** How long an answer to enquire_link may take on a bind without other traffic. */
const ANSWER_MS = 10_000;
/** How long the answer to unbind, or the end of a bind that the SMSC has ended, is awaited. */
const UNBIND_MS = 2_000;

/** Maximum bytes that the SMSC has not read: many times the messages of a window. */
const UNREAD_BYTES = 1 << 20;
/** Maximum messages of the SMSC that are not answered. */
const DELIVERING_MAX = 10_000;

const noHeaders = {};
/** Bytes that are read at once. */
const READ_BYTES = 65_536;
/** The number of commands whose answer concerns no exchange. */
const NO_EXCHANGE = 0;

/** Opens binds over TCP, by URLs such as `smpp://host:2775`. A literal address is not looked up: the caller checks it. */
export const openSmppLink =
  (bind: SmppBind): OpenLink =>
  (settings, events) =>
    new SmppLink(settings, events, bind);

/**
 * One bind as a transceiver (SMPP 3.4). The body of a request is a submit_sm; the body of its answer is the message id. Commands of one turn of the event
 * loop are written together, as far as they may still go. Input that is no SMPP ends the bind, and nothing else.
 */
class SmppLink implements Link, DeliveryLink {
  readonly #socket: Socket;
  readonly #events: LinkEvents;
  readonly #bind: SmppBind;
  readonly #window: number;
  readonly #reader = new PduReader();
  readonly #waiting = new Map<number, Exchange>();
  readonly #keepAlive: NodeJS.Timeout;
  /** The commands that are written at the end of this turn. */
  readonly #output = new PduOutput();
  /** The exchange of each of them, by its sequence number. */
  #unwrittenFor: number[] = [];
  #sequence = 0;
  /** Messages of the SMSC that are not answered. */
  #delivering = 0;
  #state: 'opening' | 'bound' | 'draining' | 'closed' = 'opening';
  /** The SMSC has ended the bind. */
  #dismissed = false;
  /** The end of an idle bind is awaited. */
  #ending = false;
  #enquiredAt = 0;
  /** Time of the last answer to a message. */
  #answeredAt = -Infinity;
  #error: Error | undefined;
  heardAt = performance.now();
  proven = false;

  constructor({ url, lookup, maxStreams = WINDOW }: ConnectionSettings, events: LinkEvents, bind: SmppBind) {
    const { hostname, port } = new URL(url);
    const host = hostname.replace(/^\[|\]$/g, '');
    this.#events = events;
    this.#bind = bind;
    this.#window = maxStreams;
    this.#socket = connect({
      host,
      port: Number(port),
      noDelay: true,
      ...(isIP(host) === 0 && lookup && { lookup }),
      // One buffer for all reads: a stream allocates one for each.
      onread: {
        buffer: Buffer.allocUnsafeSlow(READ_BYTES),
        callback: (bytes, buffer) => this.#read(buffer as Buffer, bytes),
      },
    });
    this.#socket.once('connect', () => this.#command(Command.bindTransceiver, bindBody(bind.systemId, bind.password)));
    this.#socket.on('error', (error) => void (this.#error ??= error));
    this.#socket.once('close', () => this.#closed());
    this.#keepAlive = setInterval(() => this.#enquire(), ANSWER_MS).unref();
  }

  get busy(): number {
    return this.#waiting.size;
  }

  ready(): boolean {
    const window = this.#answeredAt > 0 ? this.#window : Math.min(this.#window, FIRST_WINDOW);
    return this.#state === 'bound' && this.#waiting.size < window;
  }

  /** @param body a body made by `submitPdu`; it is copied */
  request(_: OutgoingRequest, body: Uint8Array, exchange: Exchange): boolean {
    if (!this.ready()) return false;
    const sequence = this.#nextSequence();
    this.#waiting.set(sequence, exchange);
    this.#output.add(body as Buffer, sequence);
    this.#flushSoon(sequence);
    return true;
  }

  expire(now: number): void {
    const waiting = this.#waiting.size;
    for (const [sequence, exchange] of this.#waiting) {
      if (exchange.deadline > now) continue;
      this.#waiting.delete(sequence);
      exchange.failed('timeout');
    }
    if (this.#waiting.size < waiting && now - this.#answeredAt > DEAF_MS) this.#giveUp();
    this.#freed(waiting);
  }

  ping(): void {
    if (this.#state === 'bound' || this.#state === 'draining') this.#command(Command.enquireLink);
  }

  drain(): void {
    if (this.#state === 'opening') this.destroy();
    if (this.#state !== 'bound') return;
    this.#state = 'draining';
    this.#endIfIdle();
  }

  destroy(error?: Error): void {
    this.#error ??= error;
    this.#socket.destroy();
  }

  answerDelivery(sequence: number, status: number): void {
    this.#delivering--;
    this.#output.addEmptyAnswer(Command.deliverSm, sequence, status);
    this.#flushSoon(NO_EXCHANGE);
    this.#endIfIdle();
  }

  /** Accepts no further message: another bind may be answered. */
  #giveUp(): void {
    if (this.#state !== 'bound') return;
    this.#state = 'draining';
    this.#events.draining();
  }

  #nextSequence(): number {
    return (this.#sequence = nextSequence(this.#sequence));
  }

  #command(command: number, body?: Uint8Array): void {
    const sequence = this.#nextSequence();
    this.#write(encodePdu(command, sequence, body), sequence);
  }

  #answer(command: number, sequence: number): void {
    this.#write(encodePdu(answerTo(command), sequence), sequence);
  }

  #write(pdu: Buffer, sequence: number): void {
    this.#output.add(pdu, sequence);
    this.#flushSoon(NO_EXCHANGE);
  }

  /** @param exchange the exchange of the last PDU */
  #flushSoon(exchange: number): void {
    if (this.#unwrittenFor.push(exchange) === 1) setImmediate(() => this.#flush());
  }

  /** Writes the commands of a turn, each if it still may be written: another worker may have taken over during a pause of the process. */
  #flush(): void {
    const exchanges = this.#unwrittenFor;
    if (this.#socket.destroyed) return;
    this.#unwrittenFor = [];
    const withdrawn = exchanges.filter((sequence) => sequence > 0 && this.#waiting.get(sequence)?.mayGo() === false);
    this.#socket.write(
      this.#output.take(withdrawn.length === 0 ? undefined : (i) => !withdrawn.includes(exchanges[i]!)),
    );
    for (const sequence of withdrawn) this.#fail(sequence, 'unprocessed');
    if (this.#socket.writableLength > UNREAD_BYTES) this.destroy(flooded('the SMSC does not read answers'));
  }

  #fail(sequence: number, cause: 'unprocessed' | 'lost'): void {
    const exchange = this.#waiting.get(sequence);
    this.#waiting.delete(sequence);
    exchange?.failed(cause);
  }

  /** @returns whether to read on */
  #read(buffer: Buffer, bytes: number): boolean {
    this.heardAt = performance.now();
    const waiting = this.#waiting.size;
    try {
      this.#reader.read(buffer.subarray(0, bytes), this.#take);
    } catch (error) {
      if (!(error instanceof RangeError) && !isFlood(error)) throw error;
      this.destroy(error as Error);
    }
    this.#freed(waiting);
    return true;
  }

  /** Lets others write if some of the messages that waited for an answer have one. @param waiting number of them before */
  #freed(waiting: number): void {
    this.#endIfIdle();
    if (this.#state === 'bound' && this.#waiting.size < waiting) this.#events.room();
  }

  readonly #take: TakePdu = (command, status, sequence, body) => {
    switch (command) {
      case answerTo(Command.submitSm):
      case Command.genericNack:
        this.#answered(sequence, status, body);
        break;
      case Command.deliverSm:
        if (++this.#delivering > DELIVERING_MAX) throw flooded('the SMSC does not wait for answers');
        this.proven = true;
        this.#bind.received(body.bytes.subarray(body.from, body.to), this, sequence);
        break;
      case answerTo(Command.bindTransceiver):
        this.#boundWith(status);
        break;
      case Command.enquireLink:
        this.#answer(command, sequence);
        break;
      case Command.unbind:
        this.#unbound(sequence);
        break;
      case answerTo(Command.enquireLink):
        this.#enquiredAt = 0;
        this.proven = true;
        break;
      case answerTo(Command.unbind):
        this.#socket.end();
        break;
      default:
        // Answers have the highest bit; other commands are ones that no SMSC sends on such a bind.
        if (command < Command.genericNack)
          this.#write(encodePdu(Command.genericNack, sequence, undefined, Status.invalidCommand), sequence);
    }
    return !this.#socket.destroyed;
  };

  #boundWith(status: number): void {
    if (this.#state !== 'opening') return;
    this.#bind.bound(status);
    if (status !== 0) {
      this.destroy(new Error(`the SMSC refused the bind with status ${status}`));
      return;
    }
    this.#state = 'bound';
    this.#events.opened();
  }

  /** The SMSC ends the bind: it takes nothing more, but may still answer what it has taken. */
  #unbound(sequence: number): void {
    this.#answer(Command.unbind, sequence);
    this.#dismissed = true;
    if (this.#waiting.size > 0) this.proven = true;
    if (this.#state === 'bound') this.#state = 'draining';
    this.#events.draining();
  }

  #answered(sequence: number, status: number, body: PduBody): void {
    this.#answeredAt = performance.now();
    this.proven = true;
    const exchange = this.#waiting.get(sequence);
    if (!exchange) return;
    this.#waiting.delete(sequence);
    // The message arrived after the SMSC had ended the bind.
    if (status === Status.notBound && this.#dismissed) exchange.failed('unprocessed');
    else exchange.answered(status, noHeaders, readMessageId(body));
  }

  /** Ends a bind that is given up, once both sides have answered everything. */
  #endIfIdle(): void {
    if (this.#state !== 'draining' || this.#ending || this.#waiting.size + this.#delivering > 0) return;
    this.#ending = true;
    // After an unbind of its own, the SMSC closes the connection.
    if (!this.#dismissed) this.#command(Command.unbind);
    setTimeout(() => this.destroy(), UNBIND_MS).unref();
  }

  /** Keeps a silent bind open, and ends one whose SMSC does not answer. */
  #enquire(): void {
    const now = performance.now();
    if (this.#state !== 'bound') return;
    if (this.#enquiredAt > 0 && this.heardAt < this.#enquiredAt) {
      this.destroy(new Error('the SMSC does not answer enquire_link'));
      return;
    }
    if (now - this.heardAt < KEEP_ALIVE_MS - ANSWER_MS) return;
    this.#enquiredAt = now;
    this.ping();
  }

  #closed(): void {
    this.#state = 'closed';
    clearInterval(this.#keepAlive);
    // Commands that the connection did not get may be repeated without doubt.
    for (const sequence of this.#unwrittenFor) this.#fail(sequence, 'unprocessed');
    for (const sequence of [...this.#waiting.keys()]) this.#fail(sequence, 'lost');
    this.#events.closed(this.#error);
  }
}
