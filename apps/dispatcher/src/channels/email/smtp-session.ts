import { Readable } from 'node:stream';
import type { SmtpStage } from '@tidings/channels';
import { flooded } from '@tidings/http2';
import SMTPConnection, { type SMTPConnectionOptions } from 'nodemailer/lib/smtp-connection';

export type MailEnd =
  | { readonly is: 'accepted' }
  | { readonly is: 'refused'; readonly stage: SmtpStage; readonly status: number; readonly text: string }
  | { readonly is: 'tooLarge' }
  | { readonly is: 'unprocessed' }
  | { readonly is: 'noReply' }
  /** The mail was written, and may have been accepted. */
  | { readonly is: 'lost' | 'late' };

export interface Transaction {
  readonly from: string;
  readonly to: string;
  readonly mail: Buffer;
  /** Milliseconds of `performance.now()`, like `replyBy`. */
  readonly deadline: number;
  readonly replyBy: number;
  mayFlush(): boolean;
  ended(end: MailEnd): void;
}

export interface Login {
  readonly user: string;
  readonly pass: string;
}

export interface SessionListener {
  opened(): void;
  closed(error: SessionError | undefined): void;
  idle(): void;
}

export type SessionError = NodeJS.ErrnoException & {
  readonly responseCode?: number;
  readonly response?: string;
  readonly command?: string;
  readonly originalCode?: string;
};

/** The first read shows that the server is ready for the mail. */
class MailStream extends Readable {
  readonly #transaction: Transaction;
  isStarted = false;

  constructor(transaction: Transaction) {
    super();
    this.#transaction = transaction;
  }

  override _read(): void {
    if (!this.#transaction.mayFlush()) {
      this.destroy(new Error('the mail may not be written any more'));
      return;
    }
    this.isStarted = true;
    this.push(this.#transaction.mail);
    this.push(null);
  }
}

const CODES = /^\d{3}[ -]?/;
const textOf = (response: string): string =>
  response
    .split(/\r?\n/)
    .map((line) => line.replace(CODES, ''))
    .join(' ')
    .trim();

const stages: Readonly<Record<string, SmtpStage>> = { 'MAIL FROM': 'sender', 'RCPT TO': 'recipient', DATA: 'content' };

function refusalIn({ responseCode, response = '', command = '' }: SessionError): MailEnd | undefined {
  if (responseCode === undefined || responseCode < 400) return undefined;
  return { is: 'refused', stage: stages[command] ?? 'content', status: responseCode, text: textOf(response) };
}

export const loginRefusalIn = ({ responseCode, response = '', code }: SessionError) =>
  code === 'EAUTH' && responseCode !== undefined ? { status: responseCode, text: textOf(response) } : undefined;

const REPLY_BYTES = 65_536;
const OPENING_MS = 60_000;
const RESET_MS = 30_000;

/** nodemailer's handler queues replies without bound, and drops empty lines one at a time. */
interface Receiver {
  _onData(chunk: Buffer): void;
}

interface Current {
  readonly transaction: Transaction;
  readonly stream: MailStream;
  timer: NodeJS.Timeout;
  failure?: SessionError | undefined;
}

export class SmtpSession {
  readonly #connection: SMTPConnection;
  readonly #listener: SessionListener;
  #current: Current | undefined;
  #isOver = false;
  #received = 0;
  #timer: NodeJS.Timeout;
  sent = 0;
  isSlow = false;

  constructor(options: SMTPConnectionOptions, login: Login | undefined, listener: SessionListener) {
    this.#listener = listener;
    this.#connection = new SMTPConnection(options);
    this.#boundReplies(this.#connection as unknown as Receiver);
    this.#timer = this.#limit(OPENING_MS);
    this.#connection.on('error', (error: SessionError) => this.#close(error));
    // `end` may come before nodemailer passes on the final reply.
    this.#connection.on('end', () => queueMicrotask(() => this.#close(undefined)));
    this.#connection.connect((error?: SessionError | null) => {
      if (error) this.#close(error);
      else if (!login) this.#opened();
      else this.#connection.login({ ...login }, (refused) => (refused ? this.#close(refused) : this.#opened()));
    });
  }

  send(transaction: Transaction): void {
    this.sent++;
    this.#received = 0;
    const stream = new MailStream(transaction);
    const current: Current = { transaction, stream, timer: this.#endAt(transaction.deadline) };
    this.#current = current;
    const { from, to, mail } = transaction;
    this.#connection.send({ from, to, size: mail.length }, stream, (error) => {
      current.failure = error ?? undefined;
      // The callback may run before `send` returns.
      queueMicrotask(() => this.#ended(transaction, error));
    });
  }

  quit(): void {
    this.#connection.quit();
  }

  destroy(): void {
    this.#close(undefined);
  }

  #opened(): void {
    clearTimeout(this.#timer);
    if (!this.#isOver) this.#listener.opened();
  }

  #boundReplies(receiver: Receiver): void {
    const receive = receiver._onData.bind(receiver);
    receiver._onData = (chunk) => {
      this.#received += chunk.length;
      if (this.#received > REPLY_BYTES) this.#close(flooded('the server replies without end'));
      else receive(chunk);
    };
  }

  #limit(ms: number): NodeJS.Timeout {
    return setTimeout(() => this.#close(new Error(`no reply within ${ms} ms`)), ms);
  }

  #ended(transaction: Transaction, failure: SessionError | null | undefined): void {
    if (this.#current?.transaction !== transaction) return;
    if (!failure) {
      this.#finish({ is: 'accepted' });
      this.#listener.idle();
      return;
    }
    const refusal = refusalIn(failure);
    if (refusal) {
      this.#finish(refusal);
      this.#recover();
    } else if (failure.code === 'EMESSAGE' && !this.#current.stream.isStarted) {
      this.#finish({ is: 'tooLarge' });
      this.#listener.idle();
    } else this.#close(failure);
  }

  /** A refusal may leave a transaction open. */
  #recover(): void {
    if (this.#isOver) return;
    this.#timer = this.#limit(RESET_MS);
    this.#connection.reset((error) => {
      clearTimeout(this.#timer);
      if (error) this.#close(error);
      else this.#listener.idle();
    });
  }

  #endAt(time: number): NodeJS.Timeout {
    return setTimeout(() => this.#onDeadline(), Math.max(0, time - performance.now()));
  }

  #onDeadline(): void {
    if (!this.#current) return;
    const { stream, transaction } = this.#current;
    if (stream.isStarted && performance.now() < transaction.replyBy) {
      this.isSlow = true;
      this.#current.timer = this.#endAt(transaction.replyBy);
      return;
    }
    this.#finish({ is: stream.isStarted ? 'late' : 'noReply' });
    this.#close(undefined);
  }

  #finish(end: MailEnd): void {
    const current = this.#current;
    this.#current = undefined;
    clearTimeout(current?.timer);
    this.isSlow = false;
    current?.transaction.ended(end);
  }

  #close(error: SessionError | undefined): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearTimeout(this.#timer);
    const current = this.#current;
    const cause = error ?? current?.failure;
    if (current) this.#finish((cause && refusalIn(cause)) ?? { is: current.stream.isStarted ? 'lost' : 'unprocessed' });
    this.#connection.close();
    this.#listener.closed(error);
  }
}
