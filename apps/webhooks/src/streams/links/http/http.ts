import { rootCertificates } from 'node:tls';
import { CLOUD_EVENTS_BATCH, cloudEventJson, eventJson, type StreamedEvent } from '@tidings/contract';
import { EventFormat } from '@tidings/events';
import { WebhookRequest } from '@tidings/rpc';
import { needsProxy, tunnelTo } from '@tidings/http2';
import { buildConnector, type Dispatcher, Pool } from 'undici';
import type { OutgoingEvent } from '../../../events/outgoing-event.ts';
import type { HttpEndpoint } from '../../../subscriptions/endpoint.ts';
import { ANSWER_MS, type Failure } from '../../unacked.ts';
import {
  type Link,
  type LinkDeps,
  type LinkListener,
  type LinkRequest,
  type OpenLink,
  reasonOf,
  refusalBy,
} from '../link-port.ts';
import { batchAnswer, mayBeAnswers, refusalIn } from './batch-answer.ts';
import { type EncodedEvent, type EventBatch, EventBatches } from './event-batches.ts';
import { signatureHeaders } from './signature.ts';

const MAX_POSTS = 4;
/** Each in its own post, to delay no others. */
const MAX_DEFERRED_POSTS = 4;
const REACH_MS = 5_000;
const MAX_ANSWER_BYTES = 256 * 1024;
/** The link's timeout begins later, with the post. */
const MARGIN_MS = 5_000;

const RECENT_ACK_MS = 60_000;
/** Such a status says nothing about events. */
const isUnavailable = (status: number): boolean => [408, 429, 502, 503, 504].includes(status);

const fixedHeaders = { accept: 'application/json', 'user-agent': 'Tidings' };

interface Encoding {
  readonly contentType: string;
  readonly encode: (event: StreamedEvent) => string;
}

const protoJson: Encoding = { contentType: 'application/json', encode: eventJson };
const cloudEvents: Encoding = { contentType: CLOUD_EVENTS_BATCH, encode: cloudEventJson };

const overdue = new Error('no answer within 30 s');
const closed = new Error('the link is closed');

interface Reply {
  readonly status: number;
  readonly body: string;
  readonly isCut: boolean;
}

async function replyOf({ statusCode: status, body }: Dispatcher.ResponseData): Promise<Reply> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of body as AsyncIterable<Buffer>) {
    parts.push(part);
    bytes += part.length;
    // Leaving the loop destroys the connection.
    if (bytes > MAX_ANSWER_BYTES) break;
  }
  return { status, body: Buffer.concat(parts).toString('utf8', 0, MAX_ANSWER_BYTES), isCut: bytes > MAX_ANSWER_BYTES };
}

function connectorTo(
  origin: string,
  { guard, extraCa, proxy }: LinkDeps,
  signal: AbortSignal,
): buildConnector.connector {
  const { lookup } = guard;
  const connect = buildConnector({
    timeout: REACH_MS,
    lookup,
    allowH2: false,
    ...(extraCa === undefined ? {} : { ca: [...rootCertificates, extraCa] }),
  });
  const destination = { url: origin, lookup };
  if (!needsProxy(destination, proxy)) return connect;
  return (options, callback) =>
    void tunnelTo(destination, proxy, signal).then(
      (tunnel) => connect(tunnel ? { ...options, httpSocket: tunnel } : options, callback),
      (error: Error) => callback(error, null),
    );
}

/** Never breaks: a failed post is a failure of its events. */
class HttpLink implements Link {
  readonly answerMs = ANSWER_MS + MARGIN_MS;
  readonly #endpoint: HttpEndpoint;
  readonly #listener: LinkListener;
  readonly #deps: LinkDeps;
  readonly #subscription: string;
  readonly #encoding: Encoding;
  readonly #pool: Pool;
  readonly #batches = new EventBatches();
  readonly #ending = new AbortController();
  #posts = 0;
  #deferredPosts = 0;
  #ackedAt = -Infinity;
  #timer: NodeJS.Timeout | undefined;

  constructor({ subscription, format, endpoint, listener }: LinkRequest<HttpEndpoint>, deps: LinkDeps) {
    this.#subscription = subscription;
    this.#encoding = format === EventFormat.EVENT_FORMAT_JSON ? cloudEvents : protoJson;
    this.#endpoint = endpoint;
    this.#listener = listener;
    this.#deps = deps;
    this.#pool = new Pool(endpoint.origin, {
      connections: MAX_POSTS + MAX_DEFERRED_POSTS,
      pipelining: 1,
      allowH2: false,
      connect: connectorTo(endpoint.origin, deps, this.#ending.signal),
      headersTimeout: 0,
      bodyTimeout: 0,
    });
  }

  get isWritable(): boolean {
    return this.#posts < MAX_POSTS && !this.#ending.signal.aborted;
  }

  get deferredRoom(): number {
    return MAX_DEFERRED_POSTS - this.#deferredPosts;
  }

  send({ uuid, bytes }: OutgoingEvent, isDeferred = false): void {
    const event = { uuid, json: this.#encoding.encode(WebhookRequest.decode(bytes)) };
    if (isDeferred) return this.#postAlone(event);
    this.#batches.add(event, performance.now());
    this.#post();
  }

  close(): void {
    this.#ending.abort(closed);
    clearTimeout(this.#timer);
    void this.#pool.destroy(closed);
  }

  #postAlone(event: EncodedEvent): void {
    this.#batches.forget(event.uuid);
    this.#deferredPosts++;
    void this.#run({ events: [event], failures: 0, isDeferred: true }, () => this.#deferredPosts--);
  }

  #post(): void {
    const now = performance.now();
    while (this.isWritable) {
      const batch = this.#batches.take(now);
      if (!batch) break;
      this.#posts++;
      void this.#run(batch, () => this.#posts--);
    }
    this.#wait(now);
  }

  #wait(now: number): void {
    const { dueAt } = this.#batches;
    if (this.#timer || !this.isWritable || dueAt === Infinity) return;
    const waitMs = Math.max(1, dueAt - now);
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#post();
    }, waitMs).unref();
  }

  async #run(batch: EventBatch, ended: () => void): Promise<void> {
    const report = await this.#exchange(batch).then(
      (reply) => () => this.#replied(batch, reply),
      (error: unknown) => () => this.#failed(batch, error === overdue ? 'late' : 'broken', reasonOf(error)),
    );
    if (this.#ending.signal.aborted) return;
    ended();
    report();
    this.#post();
    this.#listener.drained();
  }

  async #exchange({ events }: EventBatch): Promise<Reply> {
    const { host, path } = this.#endpoint;
    const { guard, secrets } = this.#deps;
    // A literal address skips the look-up and its guard.
    if (!guard.allowsHost(host)) throw new Error(`${host} is not a public address`);
    const keys = await secrets.keysOf(this.#subscription);
    const body = `[${events.map(({ json }) => json).join(',')}]`;
    const uuids = events.map(({ uuid }) => uuid);
    // Receivers compare this with their own clock.
    const signature = signatureHeaders(keys, { uuids, at: Math.floor(Date.now() / 1000), body });
    const deadline = new AbortController();
    const timer = setTimeout(() => deadline.abort(overdue), ANSWER_MS).unref();
    try {
      const reply = await this.#pool.request({
        method: 'POST',
        path,
        signal: AbortSignal.any([deadline.signal, this.#ending.signal]),
        headers: { 'content-type': this.#encoding.contentType, ...fixedHeaders, ...signature },
        body,
      });
      return await replyOf(reply);
    } catch (error) {
      throw deadline.signal.aborted ? overdue : error;
    } finally {
      clearTimeout(timer);
    }
  }

  #replied(batch: EventBatch, { status, body, isCut }: Reply): void {
    const isSuccess = status >= 200 && status <= 299;
    if (!isSuccess)
      return this.#failed(batch, isUnavailable(status) ? 'unavailable' : 'post-refused', `HTTP ${status}`);
    if (isCut && mayBeAnswers(body)) return this.#failed(batch, 'post-refused', 'an answer that is too long');
    const answer = isCut ? 'all' : batchAnswer(body);
    for (const { uuid } of batch.events) {
      const refusal = refusalIn(answer, uuid);
      if (!refusal) this.#acked(uuid);
      else this.#listener.failed([uuid], 'refused', refusalOf(refusal));
    }
  }

  #acked(uuid: string): void {
    this.#ackedAt = performance.now();
    this.#listener.acked(uuid);
  }

  #failed(batch: EventBatch, how: Failure, reason: string): void {
    if (!batch.isDeferred) this.#batches.failed(batch, this.#ackedAt >= performance.now() - RECENT_ACK_MS);
    const uuids = batch.events.map(({ uuid }) => uuid);
    this.#listener.failed(uuids, how, reason);
  }
}

const refusalOf = ({ status }: { readonly status: string | undefined }): string =>
  status === undefined ? 'missing in the answer' : refusalBy(status);

export const openHttpLink: OpenLink<HttpEndpoint> = (request, deps) => Promise.resolve(new HttpLink(request, deps));
