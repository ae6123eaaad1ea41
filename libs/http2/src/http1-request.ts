import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import { type AnswerHeaders, BODY_MAX, type Exchange } from './http2-port.ts';

/** The link of a request. */
export interface RequestEvents {
  /** The provider has begun to answer. */
  heard(): void;
  /** The request is over; the exchange is about to get its result. */
  ended(): void;
  /** The exchange has its result. */
  room(): void;
}

/** A path or a header that HTTP does not permit. */
const INVALID = 'UND_ERR_INVALID_ARG';

const overdue = new Error('not answered in time');
const enough = new Error('the remainder of the answer is declined');
const mayNotGo = new Error('another worker sends this');

/** A request over HTTP/1.1. The body of every answer is read, of any status. */
export class Http1Request implements Dispatcher.DispatchHandler {
  readonly exchange: Exchange;
  readonly #events: RequestEvents;
  #controller: Dispatcher.DispatchController | undefined;
  #written = false;
  #status = 0;
  #headers: AnswerHeaders = {};
  readonly #body: Buffer[] = [];
  #bytes = 0;
  #done = false;

  constructor(exchange: Exchange, events: RequestEvents) {
    this.exchange = exchange;
    this.#events = events;
  }

  /** Called when a connection is open, before anything is written to it. */
  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#done) controller.abort(overdue);
    else if (!this.exchange.mayGo()) controller.abort(mayNotGo);
    else this.#written = true;
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    this.#events.heard();
    if (status < 200) return;
    this.#status = status;
    this.#headers = headers as AnswerHeaders;
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    // Copied, so that the larger chunk is not retained.
    this.#body.push(Buffer.from(chunk));
    this.#bytes += chunk.length;
    if (this.#bytes < BODY_MAX) return;
    this.#finish();
    controller.abort(enough);
  }

  onResponseEnd(): void {
    this.#finish();
  }

  /** Fails after `request` of the link has returned: undici may report an error at once. */
  onResponseError(_: Dispatcher.DispatchController | null, error: Error): void {
    // It would be refused again: repeating it at once is of no use.
    if ((error as NodeJS.ErrnoException).code === INVALID) this.#written = true;
    queueMicrotask(() => this.fail());
  }

  /** Ends the request, whose time is over. */
  expire(): void {
    if (this.#status > 0) this.#finish();
    else this.#end(() => this.exchange.failed('timeout'));
    if (this.#written) this.#controller?.abort(overdue);
  }

  /** The connection is gone. The same request would get the same answer: a status counts. */
  fail(): void {
    if (this.#status > 0) this.#finish();
    else this.#end(() => this.exchange.failed(this.#written ? 'lost' : 'unprocessed'));
  }

  #finish(): void {
    const body = Buffer.concat(this.#body).toString('utf8', 0, BODY_MAX);
    this.#end(() => this.exchange.answered(this.#status, this.#headers, body));
  }

  #end(report: () => void): void {
    if (this.#done) return;
    this.#done = true;
    this.#events.ended();
    report();
    this.#events.room();
  }
}
