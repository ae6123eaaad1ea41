import { isIP } from 'node:net';
import type { Readable } from 'node:stream';
import { Client, connectivityState, Metadata, type ServiceError, status } from '@grpc/grpc-js';
import { currentTrace, headersOf } from '@tidings/telemetry';
import { addKeys, type ClientAccess } from './rpc-access.ts';
import { clientOptions } from './channel-options.ts';
import type { wireMethod } from './codecs.ts';

export type WireMethod = ReturnType<typeof wireMethod>;

const CONNECT_MS = 1_500;
const AVOIDED_MS = 2_000;

const { READY, TRANSIENT_FAILURE, SHUTDOWN } = connectivityState;

export class Replica {
  readonly name: string;
  readonly #client: Client;
  readonly #access: ClientAccess;
  #avoidUntil = -Infinity;
  #calls = 0;
  #retired = false;

  constructor(name: string, host: string, access: ClientAccess) {
    this.name = name;
    this.#access = access;
    const scheme = name.startsWith('[') ? 'ipv6' : 'ipv4';
    const options = isIP(host) === 0 ? { ...clientOptions, 'grpc.ssl_target_name_override': host } : clientOptions;
    this.#client = new Client(`${scheme}:${name}`, access.credentials, options);
    this.connect();
  }

  get isLikely(): boolean {
    return performance.now() >= this.#avoidUntil || this.#state() === READY;
  }

  connect(): void {
    this.#state(true);
  }

  /** @param deadline by `performance.now()` */
  async ready(deadline: number): Promise<void> {
    const until = Math.min(deadline, performance.now() + CONNECT_MS);
    for (let state = this.#state(true); state !== READY; state = this.#state()) {
      const isDown = state === TRANSIENT_FAILURE || state === SHUTDOWN;
      if (isDown || !(await this.#changed(state, until))) {
        this.#avoidUntil = performance.now() + AVOIDED_MS;
        throw notConnected();
      }
    }
  }

  unary(method: WireMethod, request: Buffer, deadline: number): Promise<unknown> {
    return this.#counted(async () => {
      await this.ready(deadline);
      return new Promise((resolve, reject) => {
        const { path, responseDeserialize } = method;
        this.#client.makeUnaryRequest(
          path,
          same,
          responseDeserialize,
          request,
          this.#metadata(),
          { deadline: timeOfDay(deadline) },
          (error, reply) => (error ? reject(error) : resolve(reply)),
        );
      });
    });
  }

  /** The caller must read the stream, or destroy it. */
  async stream(method: WireMethod, request: Buffer, deadline: number): Promise<Readable> {
    this.#calls++;
    try {
      await this.ready(deadline);
    } catch (error) {
      this.#ended();
      throw error;
    }
    const { path, responseDeserialize } = method;
    const metadata = this.#metadata();
    const replies = this.#client.makeServerStreamRequest(path, same, responseDeserialize, request, metadata, {
      deadline: timeOfDay(deadline),
    });
    return replies.once('close', () => {
      replies.cancel();
      this.#ended();
    });
  }

  retire(): void {
    this.#retired = true;
    if (this.#calls === 0) this.#client.close();
  }

  async #counted<T>(call: () => Promise<T>): Promise<T> {
    this.#calls++;
    try {
      return await call();
    } finally {
      this.#ended();
    }
  }

  #ended(): void {
    this.#calls--;
    if (this.#retired && this.#calls === 0) this.#client.close();
  }

  #metadata(): Metadata {
    const metadata = new Metadata();
    addKeys(metadata, this.#access);
    const place = currentTrace();
    if (place) for (const [name, value] of Object.entries(headersOf(place))) metadata.set(name, value);
    return metadata;
  }

  #state(connect = false): connectivityState {
    return this.#client.getChannel().getConnectivityState(connect);
  }

  #changed(from: connectivityState, until: number): Promise<boolean> {
    return new Promise((resolve) => {
      const channel = this.#client.getChannel();
      channel.watchConnectivityState(from, timeOfDay(until), (late) => resolve(late === undefined));
    });
  }
}

/** gRPC takes the time of day, and starts a timer at once. */
const timeOfDay = (deadline: number): number => Date.now() + deadline - performance.now();

const same = (bytes: Buffer): Buffer => bytes;

const notConnected = (): ServiceError =>
  Object.assign(new Error('not connected'), {
    code: status.UNAVAILABLE,
    details: 'No connection established',
    metadata: new Metadata(),
  });
