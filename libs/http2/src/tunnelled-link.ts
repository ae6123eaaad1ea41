import type { Socket } from 'node:net';
import type { ConnectionSettings, Exchange, Link, LinkEvents, OutgoingRequest } from './http2-port.ts';
import { needsProxy, tunnelTo } from './proxy-tunnel.ts';

type OpenOver = (tunnel: Socket | undefined) => Link;

class TunnelledLink implements Link {
  readonly #events: LinkEvents;
  readonly #opening = new AbortController();
  readonly #openedAt = performance.now();
  #link: Link | undefined;

  constructor(settings: ConnectionSettings, events: LinkEvents, open: OpenOver) {
    this.#events = events;
    void tunnelTo(settings, settings.proxy, this.#opening.signal).then(
      (tunnel) => this.#begin(tunnel, open),
      (error: Error) => events.closed(error),
    );
  }

  get busy(): number {
    return this.#link?.busy ?? 0;
  }

  get receivedAt(): number {
    return this.#link?.receivedAt ?? this.#openedAt;
  }

  get proven(): boolean {
    return this.#link?.proven ?? false;
  }

  ready(): boolean {
    return this.#link?.ready() ?? false;
  }

  request(request: OutgoingRequest, body: Uint8Array, exchange: Exchange): boolean {
    return this.#link?.request(request, body, exchange) ?? false;
  }

  expire(now: number): void {
    this.#link?.expire(now);
  }

  ping(): void {
    this.#link?.ping();
  }

  drain(): void {
    if (this.#link) this.#link.drain();
    else this.destroy();
  }

  destroy(error?: Error): void {
    if (this.#link) this.#link.destroy(error);
    else this.#opening.abort(error ?? new Error('no longer needed'));
  }

  #begin(tunnel: Socket | undefined, open: OpenOver): void {
    const { signal } = this.#opening;
    try {
      signal.throwIfAborted();
      this.#link = open(tunnel);
    } catch (error) {
      tunnel?.destroy();
      this.#events.closed(error as Error);
    }
  }
}

export const openTunnelled = (settings: ConnectionSettings, events: LinkEvents, open: OpenOver): Link =>
  needsProxy(settings, settings.proxy) ? new TunnelledLink(settings, events, open) : open(undefined);
