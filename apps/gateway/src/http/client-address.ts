import type { IncomingMessage } from 'node:http';
import { AddressRanges, plainAddress } from '@tidings/runtime';

/** Proxies in a row that are looked through. */
const HOPS_MAX = 16;

/** An address as a proxy writes it, with or without a port; "" if it is none. */
function hopIn(text: string): string {
  const hop = text.trim();
  const [, host] = /^\[([^\]]*)\](?::\d+)?$/.exec(hop) ?? /^([\d.]+)(?::\d+)?$/.exec(hop) ?? [];
  return plainAddress(host ?? hop);
}

/**
 * The addresses of clients. Only proxies in the trusted ranges are believed: of `X-Forwarded-For`, each proxy vouches for the entry that it has added, so
 * the entries are read from the last one, as long as the hop before is trusted.
 */
export class ClientAddresses {
  readonly #proxies: AddressRanges;

  /** @param trustedProxies ranges as CIDR; none = headers are never read */
  constructor(trustedProxies: readonly string[]) {
    this.#proxies = new AddressRanges(trustedProxies);
  }

  /** The client of a request; the nearest proxy that does not say for whom it asks; "" once the connection is gone. */
  of({ socket, headers }: Pick<IncomingMessage, 'socket' | 'headers'>): string {
    let address = plainAddress(socket.remoteAddress ?? '');
    if (!this.#proxies.has(address)) return address;
    const hops = String(headers['x-forwarded-for'] ?? '')
      .split(',')
      .slice(-HOPS_MAX);
    while (this.#proxies.has(address)) {
      const hop = hopIn(hops.pop() ?? '');
      if (hop === '') break;
      address = hop;
    }
    return address;
  }

  /** Whether it is a trusted proxy rather than a client. */
  isProxy(address: string): boolean {
    return this.#proxies.has(address);
  }
}
