import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { text } from 'node:stream/consumers';
import { freePort } from '@tidings/runtime';
import type { TlsFiles } from '../transport/listener.ts';

export interface HttpSubscriberOptions {
  readonly tls?: TlsFiles | undefined;
  /** Path and query of the endpoint. @default '/' */
  readonly path?: string;
}

/** Fields have the names of the proto; a CloudEvent has its `id` as `uuid`, too. */
export interface PostedEvent {
  readonly event_name: string;
  readonly message_code: string;
  readonly hwid: string;
  readonly uuid: string;
  readonly [field: string]: unknown;
}

export interface ReceivedPostedEvent extends PostedEvent {
  readonly post: number;
  /** From 1. */
  readonly nth: number;
  readonly isAcked: boolean;
}

export interface ReceivedPost {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly events: readonly PostedEvent[];
}

/** Undefined = none, ever. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface HttpSubscriberBehaviour {
  /** @default always 204 */
  answer: (post: ReceivedPost, index: number) => HttpAnswer | undefined;
  /** A list in a body of the status 200; undefined leaves an event out. @default none */
  answerEach: ((event: PostedEvent, nth: number) => string | undefined) | undefined;
  /** Before each answer. @default 0 */
  delayMs: number;
}

const wellBehaved = (): HttpSubscriberBehaviour => ({
  answer: () => ({ status: 204 }),
  answerEach: undefined,
  delayMs: 0,
});

export class HttpSubscriber {
  readonly behaviour = wellBehaved();
  readonly posts: ReceivedPost[] = [];
  readonly received: ReceivedPostedEvent[] = [];
  readonly #options: HttpSubscriberOptions;
  readonly #counts = new Map<string, number>();
  #server: Server | undefined;
  #port = 0;
  #answering = 0;
  #mostAtOnce = 0;

  constructor(options: HttpSubscriberOptions) {
    this.#options = options;
  }

  /** E.g. `http://127.0.0.1:8080/`. */
  get endpoint(): string {
    const { tls, path = '/' } = this.#options;
    return `${tls ? 'https' : 'http'}://127.0.0.1:${this.#port}${path}`;
  }

  get mostAtOnce(): number {
    return this.#mostAtOnce;
  }

  acknowledged(): ReadonlyMap<string, number> {
    const acknowledged = this.received.filter(({ isAcked }) => isAcked).map(({ uuid }) => uuid);
    return new Map(acknowledged.map((uuid) => [uuid, this.#counts.get(uuid)!]));
  }

  behave(): void {
    Object.assign(this.behaviour, wellBehaved());
  }

  async up(): Promise<void> {
    if (this.#server) return;
    const serve = (request: IncomingMessage, response: ServerResponse): void => void this.#serve(request, response);
    const { tls } = this.#options;
    const server = tls ? createTlsServer({ ...tls }, serve) : createServer(serve);
    this.#port ||= await freePort();
    await once(server.listen(this.#port, '127.0.0.1'), 'listening');
    this.#server = server;
  }

  /** Until {@link up} again on the same port. */
  down(): void {
    this.#server?.close();
    this.#server?.closeAllConnections();
    this.#server = undefined;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request).catch(() => undefined);
    if (body === undefined) return;
    this.#mostAtOnce = Math.max(this.#mostAtOnce, ++this.#answering);
    response.once('close', () => this.#answering--);
    const posted = JSON.parse(body) as PostedEvent[];
    const events = posted.map((event) => ({ ...event, uuid: event.uuid ?? event['id'] }));
    const post: ReceivedPost = { path: request.url ?? '', headers: request.headers, body, events };
    const index = this.posts.push(post) - 1;
    const { answerEach, answer: answerAll, delayMs } = this.behaviour;
    if (delayMs > 0) await new Promise((resolve) => setTimeout(resolve, delayMs));
    const answer = answerEach ? undefined : answerAll(post, index);
    const isWhole = answer !== undefined && answer.status >= 200 && answer.status < 300;
    const answers = events.map((event) => {
      const nth = (this.#counts.get(event.uuid) ?? 0) + 1;
      this.#counts.set(event.uuid, nth);
      const status = answerEach?.(event, nth);
      this.received.push({ ...event, post: index, nth, isAcked: answerEach ? status === 'ok' : isWhole });
      return { uuid: event.uuid, status };
    });
    if (answerEach) reply(response, { status: 200, body: JSON.stringify(answers.filter(({ status }) => status)) });
    else if (answer) reply(response, answer);
  }
}

const reply = (response: ServerResponse, { status, headers = {}, body }: HttpAnswer): void =>
  void response.writeHead(status, { ...headers }).end(body);

export async function startHttpSubscriber(options: HttpSubscriberOptions = {}): Promise<HttpSubscriber> {
  const subscriber = new HttpSubscriber(options);
  await subscriber.up();
  return subscriber;
}
