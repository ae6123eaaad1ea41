import type { IncomingMessage } from 'node:http';
import { REQUEST_MS } from '@tidings/contract';
import { Fault } from '@tidings/kernel';
import type { Logger } from '@tidings/runtime';
import { inSpan, isTracing, markFault, traceOf } from '@tidings/telemetry';
import { type Reply, withHeaders } from '../envelopes/reply.ts';
import { type PendingRequest, type PendingRequests, SlowBody } from '../limits/pending-requests.ts';
import { type FaultLog, faultLog } from './fault-log.ts';
import type { RequestMeter, RequestResult } from './meter.ts';
import type { ApiRoute } from './served-request.ts';

const RETRY_AFTER_SECONDS = 5;
const SLOW: Reply = { status: 408, body: '', headers: { connection: 'close' } };

export interface Outcome {
  readonly status: number;
  readonly reply?: Reply;
  readonly fault?: Fault | undefined;
  readonly isSlow?: boolean;
}

export interface RequestRunnerDeps {
  readonly log: Logger;
  readonly meter: RequestMeter;
  readonly requests: PendingRequests;
}

export class RequestRunner {
  readonly #requests: PendingRequests;
  readonly #meter: RequestMeter;
  readonly #logFault: FaultLog;

  constructor({ log, meter, requests }: RequestRunnerDeps) {
    this.#requests = requests;
    this.#meter = meter;
    this.#logFault = faultLog(log);
  }

  async run(
    route: ApiRoute,
    message: IncomingMessage,
    work: (pending: PendingRequest) => Promise<Outcome>,
  ): Promise<Outcome> {
    const startedAt = performance.now();
    const outcome = isTracing() ? await this.#traced(route, message, work) : await this.#served(route, work);
    this.#meter(nameOf(route), outcome.fault?.kind ?? (outcome.isSlow ? 'slow' : 'ok'), startedAt);
    return outcome;
  }

  measureUnserved(result: RequestResult): void {
    this.#meter('none', result, performance.now());
  }

  faultReply({ pattern, envelope, named }: ApiRoute, fault: Fault): Reply {
    this.#logFault(fault, pattern);
    const reply = envelope.fault(fault, named?.method);
    const retryAfterSeconds =
      fault.retryAfterSeconds ?? (fault.kind === 'unavailable' ? RETRY_AFTER_SECONDS : undefined);
    return retryAfterSeconds === undefined ? reply : withHeaders(reply, { 'retry-after': String(retryAfterSeconds) });
  }

  async #served(route: ApiRoute, work: (pending: PendingRequest) => Promise<Outcome>): Promise<Outcome> {
    try {
      return await this.#requests.serve(route.named?.method.deadlineMs ?? REQUEST_MS, work);
    } catch (thrown) {
      if (thrown instanceof SlowBody) return { status: SLOW.status, reply: SLOW, isSlow: true };
      const fault = Fault.from(thrown);
      const reply = this.faultReply(route, fault);
      return { status: reply.status, reply, fault };
    }
  }

  #traced(
    route: ApiRoute,
    message: IncomingMessage,
    work: (pending: PendingRequest) => Promise<Outcome>,
  ): Promise<Outcome> {
    const attributes = { 'http.request.method': route.verb, 'http.route': route.pattern };
    const options = { of: [], untrusted: traceOf(message.headers), kind: 'server', attributes } as const;
    return inSpan(nameOf(route), options, async (span) => {
      const outcome = await this.#served(route, work);
      span.setAttributes({ 'http.response.status_code': outcome.status });
      if (outcome.fault) markFault(span, outcome.fault);
      return outcome;
    });
  }
}

/** Metrics and traces must not show ids. */
const nameOf = ({ named, pattern }: ApiRoute): string => named?.method.name ?? pattern;
