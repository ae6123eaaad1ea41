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
  type PduHandler,
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

export interface SmppBind {
  readonly systemId: string;
  readonly password: string;
  bound(status: number): void;
  /** The body is valid until it returns, and is to be answered once. */
  received(body: Buffer, link: DeliveryLink, sequence: number): void;
}

export interface DeliveryLink {
  answerDelivery(sequence: number, status: number): void;
}

/** Many SMSCs accept no more unanswered messages on a bind. */
export const WINDOW = 100;
/** A mute SMSC leaves so many messages in doubt. */
const FIRST_WINDOW = 10;
/** A bind ends when a message is overdue and none was answered for this time. */
const UNRESPONSIVE_MS = 10_000;
/** SMSCs close silent binds after a minute or more. */
const KEEP_ALIVE_MS = 30_000;
const ANSWER_MS = 10_000;
const UNBIND_MS = 2_000;

const UNREAD_BYTES = 1 << 20;
const DELIVERING_MAX = 10_000;

const noHeaders = {};
const READ_BYTES = 65_536;
const NO_EXCHANGE = 0;

export const openSmppLink =
  (bind: SmppBind): OpenLink =>
  (settings, events) =>
    new SmppLink(settings, events, bind);

/** Commands of one turn are written together. Input that is no SMPP only ends the bind. */
class SmppLink implements Link, DeliveryLink {
  readonly #socket: Socket;
  readonly #events: LinkEvents;
  readonly #bind: SmppBind;
  readonly #window: number;
  readonly #reader = new PduReader();
  readonly #waiting = new Map<number, Exchange>();
  readonly #keepAlive: NodeJS.Timeout;
  readonly #output = new PduOutput();
  #unwrittenFor: number[] = [];
  #sequence = 0;
  #delivering = 0;
  #state: 'opening' | 'bound' | 'draining' | 'closed' = 'opening';
  #dismissed = false;
  #ending = false;
  #enquiredAt = 0;
  #answeredAt = -Infinity;
  #error: Error | undefined;
  receivedAt = performance.now();
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
    if (this.#waiting.size < waiting && now - this.#answeredAt > UNRESPONSIVE_MS) this.#giveUp();
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

  #flushSoon(exchange: number): void {
    if (this.#unwrittenFor.push(exchange) === 1) setImmediate(() => this.#flush());
  }

  #flush(): void {
    const exchanges = this.#unwrittenFor;
    if (this.#socket.destroyed) return;
    this.#unwrittenFor = [];
    const withdrawn = exchanges.filter((sequence) => sequence > 0 && this.#waiting.get(sequence)?.mayFlush() === false);
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

  #read(buffer: Buffer, bytes: number): boolean {
    this.receivedAt = performance.now();
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

  #freed(waiting: number): void {
    this.#endIfIdle();
    if (this.#state === 'bound' && this.#waiting.size < waiting) this.#events.room();
  }

  readonly #take: PduHandler = (command, status, sequence, body) => {
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
        // Responses have the highest bit; an SMSC sends no other commands here.
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

  #endIfIdle(): void {
    if (this.#state !== 'draining' || this.#ending || this.#waiting.size + this.#delivering > 0) return;
    this.#ending = true;
    if (!this.#dismissed) this.#command(Command.unbind);
    setTimeout(() => this.destroy(), UNBIND_MS).unref();
  }

  #enquire(): void {
    const now = performance.now();
    if (this.#state !== 'bound') return;
    if (this.#enquiredAt > 0 && this.receivedAt < this.#enquiredAt) {
      this.destroy(new Error('the SMSC does not answer enquire_link'));
      return;
    }
    if (now - this.receivedAt < KEEP_ALIVE_MS - ANSWER_MS) return;
    this.#enquiredAt = now;
    this.ping();
  }

  #closed(): void {
    this.#state = 'closed';
    clearInterval(this.#keepAlive);
    for (const sequence of this.#unwrittenFor) this.#fail(sequence, 'unprocessed');
    for (const sequence of [...this.#waiting.keys()]) this.#fail(sequence, 'lost');
    this.#events.closed(this.#error);
  }
}
