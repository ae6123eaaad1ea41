import { isIP } from 'node:net';
import { AddressRanges, isRange, plainAddress } from './address-ranges.ts';

const ENTRIES_MAX = 1_000;

const NAME = /^\.?[a-z0-9_-]{1,63}(\.[a-z0-9_-]{1,63})*$/;

interface Entry {
  readonly port: number | undefined;
  readonly matches: (host: string) => boolean;
}

const plainHost = (host: string): string => host.toLowerCase().replace(/^\[(.*)\]$|\.$/, '$1');

const partsOf = (text: string): readonly string[] => text.split(/[\s,]+/).filter((part) => part !== '');

function matcherOf(text: string): ((host: string) => boolean) | undefined {
  if (text === '*') return () => true;
  if (isIP(text) !== 0 || isRange(text)) {
    const ranges = new AddressRanges([text]);
    return (host) => ranges.has(host);
  }
  // The resolver reads `127.1` as an address.
  if (!NAME.test(text) || /^[\d.]+$/.test(text)) return undefined;
  const name = text.replace(/^\./, '');
  return (host) => plainAddress(host) === '' && (host === name || host.endsWith(`.${name}`));
}

function entryOf(text: string): Entry | undefined {
  const [, bracketed, bare, digits] = /^(?:\[(.+)\]|([^:]+))(?::(\d{1,5}))?$/.exec(text) ?? [];
  const port = digits === undefined ? undefined : Number(digits);
  if (port !== undefined && (port === 0 || port > 65_535)) return undefined;
  const matches = matcherOf(plainHost(bracketed ?? bare ?? text));
  return matches && { port, matches };
}

export function isNoProxy(text: string): boolean {
  const parts = partsOf(text);
  return parts.length <= ENTRIES_MAX && parts.every((part) => entryOf(part) !== undefined);
}

/** Domains with their subdomains, addresses, CIDR ranges or `*`, with an optional `:port`. */
export class NoProxy {
  readonly #entries: readonly Entry[];

  constructor(text = '') {
    this.#entries = partsOf(text).flatMap((part) => entryOf(part) ?? []);
  }

  has(host: string, port: number): boolean {
    const plain = plainHost(host);
    return this.#entries.some((entry) => (entry.port ?? port) === port && entry.matches(plain));
  }
}
