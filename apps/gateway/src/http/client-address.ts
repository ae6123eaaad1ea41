import type { IncomingMessage } from 'node:http';
import { AddressRanges, plainAddress } from '@tidings/runtime';

const HOPS_MAX = 16;

function hopIn(text: string): string {
  const hop = text.trim();
  const [, host] = /^\[([^\]]*)\](?::\d+)?$/.exec(hop) ?? /^([\d.]+)(?::\d+)?$/.exec(hop) ?? [];
  return plainAddress(host ?? hop);
}

/** A proxy vouches only for the `X-Forwarded-For` entry that it has added: entries are read from the end. */
export class ClientAddresses {
  readonly #proxies: AddressRanges;

  constructor(trustedProxies: readonly string[]) {
    this.#proxies = new AddressRanges(trustedProxies);
  }

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

  isProxy(address: string): boolean {
    return this.#proxies.has(address);
  }
}
