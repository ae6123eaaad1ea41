import { connect as connectTcp, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { serverNameOf } from '@tidings/runtime';
import { Client } from 'undici';
import { Http1Request } from './http1-request.ts';
import type { ConnectionSettings, Exchange, Link, LinkEvents, OutgoingRequest } from './http2-port.ts';
import { needsProxy, tunnelTo } from './proxy-tunnel.ts';
import { openTunnelled } from './tunnelled-link.ts';

const CONNECTIONS_MAX = 64;
const DIAL_MS = 5_000;
const UNRESPONSIVE_MS = 10_000;
const GROW_AGAIN_MS = 2_000;

type Supply = (...result: [null, Socket] | [Error, null]) => void;

const closed = new Error('the link is closed');

const ignore = (): void => undefined;

/** HTTP/1.1 has no PING: a silent provider is probed by another TCP connection. */
class Http1Link implements Link {
  readonly #settings: ConnectionSettings;
  readonly #events: LinkEvents;
  readonly #origin: string;
  readonly #max: number;
  readonly #clients = new Set<Client>();
  readonly #idle: Client[] = [];
  readonly #requests = new Set<Http1Request>();
  readonly #sockets = new Set<Socket>();
  /** A probe of another address would prove nothing. */
  #pinned: string | undefined;
  readonly #ending = new AbortController();
  #first: Socket | undefined;
  #connected = 0;
  #growAt = 0;
  #answeredAt = -Infinity;
  #opened = false;
  #draining = false;
  #ended = false;
  receivedAt = performance.now();
  proven = false;

  constructor(settings: ConnectionSettings, events: LinkEvents, tunnel: Socket | undefined) {
    this.#settings = settings;
    this.#events = events;
    this.#origin = new URL(settings.url).origin;
    this.#max = Math.min(settings.maxStreams ?? CONNECTIONS_MAX, CONNECTIONS_MAX);
    const opened: Supply = (error, socket) => this.#onFirst(error, socket);
    if (tunnel) this.#open(tunnel, opened);
    else this.#dial(opened);
  }

  get busy(): number {
    return this.#requests.size;
  }

  ready(): boolean {
    const { size } = this.#requests;
    const open = this.#opened && !this.#draining && !this.#ended;
    return open && size < this.#max && (size < this.#connected || performance.now() >= this.#growAt);
  }

  request({ path, shared, own }: OutgoingRequest, body: Uint8Array, exchange: Exchange): boolean {
    if (!this.ready()) return false;
    const client = this.#idle.pop() ?? this.#newClient();
    const request = new Http1Request(exchange, {
      received: () => {
        this.receivedAt = this.#answeredAt = performance.now();
        this.proven = true;
      },
      ended: () => {
        this.#requests.delete(request);
        if (this.#clients.has(client)) this.#idle.push(client);
      },
      room: () => {
        this.#events.room();
        this.#endIfDone();
      },
    });
    // Silence proves nothing without requests.
    if (this.#requests.size === 0) this.receivedAt = performance.now();
    this.#requests.add(request);
    client.dispatch({ path, method: 'POST', headers: [...shared, ...own], body }, request);
    return true;
  }

  expire(now: number): void {
    const overdue = [...this.#requests].filter(({ exchange }) => exchange.deadline <= now);
    for (const request of overdue) request.expire();
    if (overdue.length === 0 || this.#draining || performance.now() - this.#answeredAt <= UNRESPONSIVE_MS) return;
    this.drain();
    this.#events.draining();
  }

  ping(): void {
    if (needsProxy(this.#settings, this.#settings.proxy))
      void this.#tunnel().then((tunnel) => this.#probe(tunnel), ignore);
    else this.#probe(undefined);
  }

  drain(): void {
    this.#draining = true;
    this.#endIfDone();
  }

  destroy(error?: Error): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#ending.abort(error ?? closed);
    for (const request of this.#requests) request.fail();
    for (const socket of this.#sockets) socket.destroy();
    const closing = [...this.#clients].map((client) => client.destroy());
    this.#clients.clear();
    void Promise.allSettled(closing).then(() => this.#events.closed(error));
  }

  #newClient(): Client {
    const client = new Client(this.#origin, {
      connect: (_, callback) => this.#supply(callback),
      pipelining: 1,
      allowH2: false,
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    client.on('connect', () => void this.#connected++);
    client.on('disconnect', () => void this.#connected--);
    client.on('connectionError', (_origin, _targets, error: Error) => this.#onRefused(error));
    this.#clients.add(client);
    return client;
  }

  #supply(callback: Supply): void {
    const first = this.#first;
    this.#first = undefined;
    if (!first || first.destroyed || !first.writable) this.#dial(callback);
    else queueMicrotask(() => callback(null, first));
  }

  #address(): { host: string; port: number } & Pick<ConnectionSettings, 'lookup'> {
    const { port, protocol } = new URL(this.#origin);
    const { lookup } = this.#settings;
    const found = this.#pinned === undefined && lookup ? { lookup } : {};
    return { host: this.#pinned ?? this.#host, port: Number(port) || (protocol === 'https:' ? 443 : 80), ...found };
  }

  get #host(): string {
    return new URL(this.#origin).hostname.replace(/^\[|\]$/g, '');
  }

  #tunnel(): Promise<Socket | undefined> {
    return tunnelTo(this.#settings, this.#settings.proxy, this.#ending.signal);
  }

  #probe(tunnel: Socket | undefined): void {
    if (tunnel) {
      this.receivedAt = performance.now();
      tunnel.destroy();
      return;
    }
    const probe = connectTcp(this.#address(), () => {
      this.receivedAt = performance.now();
      probe.destroy();
    });
    probe.on('error', ignore);
    probe.setTimeout(DIAL_MS, () => probe.destroy());
  }

  #dial(callback: Supply): void {
    if (!needsProxy(this.#settings, this.#settings.proxy)) {
      this.#open(undefined, callback);
      return;
    }
    const failed = (error: Error): void => callback(error, null);
    void this.#tunnel().then((tunnel) => {
      if (!this.#ended) this.#open(tunnel, callback);
      else {
        tunnel?.destroy();
        failed(closed);
      }
    }, failed);
  }

  #open(tunnel: Socket | undefined, callback: Supply): void {
    const address = this.#address();
    const secure = this.#origin.startsWith('https:');
    const socket = secure
      ? connectTls({
          ...serverNameOf(this.#host),
          ...this.#settings.tls,
          ...(tunnel ? { host: this.#host, socket: tunnel } : address),
          ALPNProtocols: ['http/1.1'],
        })
      : connectTcp(address);
    let failure: Error | undefined;
    let open = false;
    this.#sockets.add(socket);
    socket.setNoDelay(true);
    socket.setTimeout(DIAL_MS, () => socket.destroy(new Error(`not open after ${DIAL_MS} ms`)));
    socket.once(secure ? 'secureConnect' : 'connect', () => {
      open = true;
      if (!tunnel) this.#pinned ??= socket.remoteAddress;
      socket.setTimeout(0);
      if (this.#ended) socket.destroy();
      callback(null, socket);
    });
    socket.on('error', (error: Error) => void (failure ??= error));
    socket.once('close', () => {
      this.#sockets.delete(socket);
      if (!open) callback(failure ?? new Error('closed by the provider'), null);
    });
  }

  #onFirst(error: Error | null, socket: Socket | null): void {
    if (this.#ended) return;
    if (!socket) {
      this.destroy(error ?? undefined);
      return;
    }
    this.#first = socket;
    this.#opened = true;
    this.#events.opened();
  }

  #onRefused(error: Error): void {
    if (this.#connected === 0) this.destroy(error);
    else this.#growAt = performance.now() + GROW_AGAIN_MS;
  }

  #endIfDone(): void {
    if (this.#draining && this.#requests.size === 0) this.destroy();
  }
}

export const openHttp1Link = (settings: ConnectionSettings, events: LinkEvents): Link =>
  openTunnelled(settings, events, (tunnel) => new Http1Link(settings, events, tunnel));
