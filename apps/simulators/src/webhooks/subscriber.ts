import type * as Grpc from '@grpc/grpc-js';
import { WebhookRequest, WebhookResponse } from '@tidings/rpc';
import { freePort } from '@tidings/runtime';
import type { TlsFiles } from '../transport/listener.ts';

export interface SubscriberOptions {
  /** @default '127.0.0.1' */
  readonly host?: string;
  /** 0 = a free one, which is kept. @default 0 */
  readonly port?: number;
  readonly tls?: TlsFiles | undefined;
  /** @default '/WebhookService/StreamWebhookEvents' */
  readonly method?: string;
}

export interface ReceivedEvent extends WebhookRequest {
  /** From 1. */
  readonly stream: number;
  /** From 1. */
  readonly nth: number;
  /** Undefined = not acknowledged. */
  readonly answer: string | undefined;
}

export interface SubscriberBehaviour {
  /** Undefined = no acknowledgement. @default always 'ok' */
  answer: (event: WebhookRequest, nth: number) => string | undefined;
  /** Before each acknowledgement, in sequence. @default 0 */
  delayMs: number;
  /** Breaks the stream without an acknowledgement; 0 = never. @default 0 */
  breakEvery: number;
}

const wellBehaved = (): SubscriberBehaviour => ({ answer: () => 'ok', delayMs: 0, breakEvery: 0 });

type Stream = Grpc.ServerDuplexStream<WebhookRequest, WebhookResponse>;

const bytesOf = (response: WebhookResponse): Buffer => Buffer.from(WebhookResponse.encode(response).finish());

export class Subscriber {
  readonly behaviour = wellBehaved();
  readonly received: ReceivedEvent[] = [];
  readonly #grpc: typeof Grpc;
  readonly #options: SubscriberOptions;
  readonly #streams = new Map<Stream, number>();
  readonly #counts = new Map<string, number>();
  #answering: Promise<void> = Promise.resolve();
  #server: Grpc.Server | undefined;
  #port: number;
  #opened = 0;
  #mostUnacknowledged = 0;
  #isReading = true;

  constructor(grpc: typeof Grpc, options: SubscriberOptions) {
    this.#grpc = grpc;
    this.#options = options;
    this.#port = options.port ?? 0;
  }

  /** E.g. `grpc://127.0.0.1:50051`. */
  get endpoint(): string {
    const { host = '127.0.0.1', tls } = this.#options;
    return `${tls ? 'grpcs' : 'grpc'}://${host}:${this.#port}`;
  }

  /** On one stream. */
  get mostUnacknowledged(): number {
    return this.#mostUnacknowledged;
  }

  get streams(): number {
    return this.#streams.size;
  }

  get opened(): number {
    return this.#opened;
  }

  acknowledged(): ReadonlyMap<string, number> {
    const acknowledged = this.received.filter(({ answer }) => answer === 'ok').map(({ uuid }) => uuid);
    return new Map(acknowledged.map((uuid) => [uuid, this.#counts.get(uuid)!]));
  }

  behave(): void {
    Object.assign(this.behaviour, wellBehaved());
    this.read(true);
  }

  /** Unread events stay in the connection. */
  read(on: boolean): void {
    this.#isReading = on;
    for (const stream of this.#streams.keys()) {
      if (on) stream.resume();
      else stream.pause();
    }
  }

  async up(): Promise<void> {
    if (this.#server) return;
    const { Server } = this.#grpc;
    const { host = '127.0.0.1', method = '/WebhookService/StreamWebhookEvents' } = this.#options;
    const server = new Server();
    server.register<WebhookRequest, WebhookResponse>(
      method,
      (stream: Stream) => this.#serve(stream),
      bytesOf,
      (bytes) => WebhookRequest.decode(bytes),
      'bidi',
    );
    this.#port ||= await freePort(host);
    await new Promise<number>((resolve, reject) => {
      server.bindAsync(`${host}:${this.#port}`, this.#credentials(), (error, port) =>
        error ? reject(error) : resolve(port),
      );
    });
    this.#server = server;
  }

  /** Until {@link up} again on the same port. */
  down(): void {
    this.#server?.forceShutdown();
    this.#server = undefined;
    this.#streams.clear();
  }

  #credentials(): Grpc.ServerCredentials {
    const { ServerCredentials } = this.#grpc;
    const { tls } = this.#options;
    if (!tls) return ServerCredentials.createInsecure();
    const pair = { private_key: Buffer.from(tls.key), cert_chain: Buffer.from(tls.cert) };
    return ServerCredentials.createSsl(null, [pair]);
  }

  #serve(stream: Stream): void {
    const number = ++this.#opened;
    this.#streams.set(stream, 0);
    const over = (): void => void this.#streams.delete(stream);
    stream.on('cancelled', over);
    stream.on('error', over);
    stream.on('end', () => {
      over();
      stream.end();
    });
    stream.on('data', (event: WebhookRequest) => this.#receive(event, stream, number));
    if (!this.#isReading) stream.pause();
  }

  #receive(event: WebhookRequest, stream: Stream, number: number): void {
    const unacknowledged = this.#streams.get(stream);
    if (unacknowledged === undefined) return;
    this.#streams.set(stream, unacknowledged + 1);
    this.#mostUnacknowledged = Math.max(this.#mostUnacknowledged, unacknowledged + 1);
    const { behaviour, received } = this;
    const nth = (this.#counts.get(event.uuid) ?? 0) + 1;
    this.#counts.set(event.uuid, nth);
    const breaks = behaviour.breakEvery > 0 && (received.length + 1) % behaviour.breakEvery === 0;
    const answer = breaks ? undefined : behaviour.answer(event, nth);
    received.push({ ...event, stream: number, nth, answer });
    if (breaks) this.#break(stream);
    else if (answer !== undefined) this.#answer(stream, { status: answer, message: '', uuid: event.uuid });
  }

  #answer(stream: Stream, response: WebhookResponse): void {
    const { delayMs } = this.behaviour;
    if (delayMs === 0) {
      this.#write(stream, response);
      return;
    }
    this.#answering = this.#answering.then(async () => {
      await new Promise((resolve) => setTimeout(resolve, delayMs));
      this.#write(stream, response);
    });
  }

  #write(stream: Stream, response: WebhookResponse): void {
    const unacknowledged = this.#streams.get(stream);
    if (unacknowledged === undefined) return;
    this.#streams.set(stream, unacknowledged - 1);
    stream.write(response);
  }

  #break(stream: Stream): void {
    this.#streams.delete(stream);
    stream.emit('error', { code: this.#grpc.status.UNAVAILABLE, details: 'broken on purpose' });
  }
}

/** The first call loads gRPC. */
export async function startSubscriber(options: SubscriberOptions = {}): Promise<Subscriber> {
  const subscriber = new Subscriber(await import('@grpc/grpc-js'), options);
  await subscriber.up();
  return subscriber;
}
