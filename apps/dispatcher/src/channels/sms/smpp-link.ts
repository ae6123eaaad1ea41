import { answerTo, bindBody, Command, encodePdu, nextSequence, type Pdu, PduReader, Status } from '@tidings/channels';
import type { ConnectionSettings, Exchange, Link, LinkEvents, OpenLink, OutgoingRequest } from '@tidings/http2';
import { connect, isIP, type Socket } from 'node:net';

/** Parameters of a bind, and the receiver of its requests. */
export interface SmppBind {
  readonly systemId: string;
  readonly password: string;
  /** The SMSC refused the bind with this status; 0 = it accepted it. */
  bound(status: number): void;
  /** A deliver_sm has come; it is answered by `answer`, once. */
  received(body: Buffer, answer: (status: number) => void): void;
}

/** Messages that an SMSC has not answered. Many SMSCs accept no more than this on a bind. */
export const WINDOW = 100;
/** A bind without traffic is kept open by enquire_link: SMSCs close silent ones after a minute or more. */
const KEEP_ALIVE_MS = 30_000;
/** How long an answer to enquire_link may take on a bind without other traffic. */
const ANSWER_MS = 10_000;
/** How long the answer to unbind is awaited. */
const UNBIND_MS = 2_000;

const noHeaders = {};

/** Opens binds over TCP, by URLs such as `smpp://host:2775`. A literal address is not looked up: the caller checks it. */
export const openSmppLink =
  (bind: SmppBind): OpenLink =>
  (settings, events) =>
    new SmppLink(settings, events, bind);

/**
 * One bind as a transceiver (SMPP 3.4). A request is a submit_sm; its answer has the status and the message id. Commands of one turn of the event
 * loop are written together. Input that is no SMPP ends the bind, and nothing else.
 */
class SmppLink implements Link {
  readonly #socket: Socket;
  readonly #events: LinkEvents;
  readonly #bind: SmppBind;
  readonly #window: number;
  readonly #reader = new PduReader();
  readonly #waiting = new Map<number, Exchange>();
  readonly #keepAlive: NodeJS.Timeout;
  #sequence = 0;
  /** Messages of the SMSC that are not answered. */
  #delivering = 0;
  #state: 'opening' | 'bound' | 'draining' | 'closed' = 'opening';
  #corked = false;
  #enquiredAt = 0;
  #error: Error | undefined;
  heardAt = Date.now();
  proven = false;

  constructor({ url, lookup, maxStreams = WINDOW }: ConnectionSettings, events: LinkEvents, bind: SmppBind) {
    const { hostname, port } = new URL(url);
    const host = hostname.replace(/^\[|\]$/g, '');
    this.#events = events;
    this.#bind = bind;
    this.#window = maxStreams;
    this.#socket = connect({ host, port: Number(port), noDelay: true, ...(isIP(host) === 0 && lookup && { lookup }) });
    this.#socket.once('connect', () => this.#command(Command.bindTransceiver, bindBody(bind.systemId, bind.password)));
    this.#socket.on('data', (chunk: Buffer) => this.#read(chunk));
    this.#socket.on('error', (error) => void (this.#error ??= error));
    this.#socket.once('close', () => this.#closed());
    this.#keepAlive = setInterval(() => this.#enquire(), ANSWER_MS).unref();
  }

  get busy(): number {
    return this.#waiting.size;
  }

  ready(): boolean {
    return this.#state === 'bound' && this.#waiting.size < this.#window;
  }

  request(_: OutgoingRequest, body: Uint8Array, exchange: Exchange): boolean {
    if (!this.ready() || !exchange.mayGo()) return false;
    this.#waiting.set(this.#command(Command.submitSm, body), exchange);
    return true;
  }

  expire(now: number): void {
    for (const [sequence, exchange] of this.#waiting) {
      if (exchange.deadline > now) continue;
      this.#waiting.delete(sequence);
      exchange.failed('timeout');
    }
  }

  ping(): void {
    if (this.#state === 'bound' || this.#state === 'draining') this.#command(Command.enquireLink);
  }

  drain(): void {
    if (this.#state === 'opening') this.destroy();
    if (this.#state !== 'bound') return;
    this.#state = 'draining';
    this.#unbindIfIdle();
  }

  destroy(error?: Error): void {
    this.#error ??= error;
    this.#socket.destroy();
  }

  /** Writes a command; returns its sequence number. */
  #command(command: number, body?: Uint8Array): number {
    this.#sequence = nextSequence(this.#sequence);
    this.#write(encodePdu(command, this.#sequence, body));
    return this.#sequence;
  }

  #write(bytes: Buffer): void {
    if (this.#socket.destroyed) return;
    if (!this.#corked) {
      this.#corked = true;
      this.#socket.cork();
      setImmediate(() => {
        this.#corked = false;
        this.#socket.uncork();
      });
    }
    this.#socket.write(bytes);
  }

  #read(chunk: Buffer): void {
    this.heardAt = Date.now();
    try {
      for (const pdu of this.#reader.read(chunk)) {
        this.#take(pdu);
        if (this.#socket.destroyed) return;
      }
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      this.destroy(error);
    }
  }

  #take(pdu: Pdu): void {
    switch (pdu.command) {
      case answerTo(Command.submitSm):
      case Command.genericNack:
        this.#answered(pdu);
        break;
      case answerTo(Command.bindTransceiver):
        this.#boundWith(pdu.status);
        break;
      case Command.deliverSm:
        this.#deliver(pdu);
        break;
      case Command.enquireLink:
        this.#write(encodePdu(answerTo(Command.enquireLink), pdu.sequence));
        break;
      case Command.unbind:
        this.#write(encodePdu(answerTo(Command.unbind), pdu.sequence));
        if (this.#state === 'bound') this.#state = 'draining';
        this.#events.draining();
        break;
      case answerTo(Command.enquireLink):
        this.#enquiredAt = 0;
        break;
      case answerTo(Command.unbind):
        this.#socket.end();
        break;
      default:
        // Answers have the highest bit; other commands are ones that no SMSC sends on such a bind.
        if (pdu.command < Command.genericNack)
          this.#write(encodePdu(Command.genericNack, pdu.sequence, undefined, Status.invalidCommand));
    }
  }

  #deliver({ sequence, body }: Pdu): void {
    this.#delivering++;
    this.#bind.received(Buffer.from(body), (status) => {
      this.#delivering--;
      this.#write(encodePdu(answerTo(Command.deliverSm), sequence, Buffer.from([0]), status));
      if (this.#state === 'draining') this.#unbindIfIdle();
    });
  }

  #boundWith(status: number): void {
    if (this.#state !== 'opening') return;
    this.#bind.bound(status);
    if (status !== 0) {
      this.destroy(new Error(`the SMSC refused the bind with status ${status}`));
      return;
    }
    this.#state = 'bound';
    this.proven = true;
    this.#events.opened();
  }

  #answered({ sequence, status, body }: Pdu): void {
    const exchange = this.#waiting.get(sequence);
    if (!exchange) return;
    this.#waiting.delete(sequence);
    exchange.answered(status, noHeaders, body.toString('latin1'));
    if (this.#state === 'draining') this.#unbindIfIdle();
    else this.#events.room();
  }

  #unbindIfIdle(): void {
    if (this.#waiting.size + this.#delivering > 0 || this.#socket.destroyed) return;
    this.#command(Command.unbind);
    setTimeout(() => this.destroy(), UNBIND_MS).unref();
  }

  /** Keeps a silent bind open, and ends one whose SMSC does not answer. */
  #enquire(): void {
    const now = Date.now();
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
    const lost = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const exchange of lost) exchange.failed('lost');
    this.#events.closed(this.#error);
  }
}
