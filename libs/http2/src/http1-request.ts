import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import { type AnswerHeaders, BODY_MAX, type Exchange } from './http2-port.ts';

export interface RequestEvents {
  received(): void;
  ended(): void;
  room(): void;
}

const INVALID = 'UND_ERR_INVALID_ARG';

const overdue = new Error('not answered in time');
const remainderDeclined = new Error('the remainder of the answer is declined');
const ownershipLost = new Error('another worker sends this');

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

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#done) controller.abort(overdue);
    else if (!this.exchange.mayFlush()) controller.abort(ownershipLost);
    else this.#written = true;
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    this.#events.received();
    if (status < 200) return;
    this.#status = status;
    this.#headers = headers as AnswerHeaders;
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#body.push(Buffer.from(chunk));
    this.#bytes += chunk.length;
    if (this.#bytes < BODY_MAX) return;
    this.#finish();
    controller.abort(remainderDeclined);
  }

  onResponseEnd(): void {
    this.#finish();
  }

  /** undici may report an error before `request` has returned. */
  onResponseError(_: Dispatcher.DispatchController | null, error: Error): void {
    // It would be refused again.
    if ((error as NodeJS.ErrnoException).code === INVALID) this.#written = true;
    queueMicrotask(() => this.fail());
  }

  expire(): void {
    if (this.#status > 0) this.#finish();
    else this.#end(() => this.exchange.failed('timeout'));
    if (this.#written) this.#controller?.abort(overdue);
  }

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
