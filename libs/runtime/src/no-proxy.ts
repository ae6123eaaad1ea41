import { isIP } from 'node:net';
import { AddressRanges, isRange, plainAddress } from './address-ranges.ts';

/** Maximum number of entries. */
const ENTRIES_MAX = 1_000;

const NAME = /^\.?[a-z0-9_-]{1,63}(\.[a-z0-9_-]{1,63})*$/;

/** A host of the list. */
interface Entry {
  /** Undefined = any. */
  readonly port: number | undefined;
  readonly matches: (host: string) => boolean;
}

/** A name as it is compared: in lower case, and without the final dot or the brackets of an address. */
const plainHost = (host: string): string => host.toLowerCase().replace(/^\[(.*)\]$|\.$/, '$1');

const partsOf = (text: string): readonly string[] => text.split(/[\s,]+/).filter((part) => part !== '');

function matcherOf(text: string): ((host: string) => boolean) | undefined {
  if (text === '*') return () => true;
  if (isIP(text) !== 0 || isRange(text)) {
    const ranges = new AddressRanges([text]);
    return (host) => ranges.has(host);
  }
  // The resolver reads `127.1` as an address, and here it would be compared as a name.
  if (!NAME.test(text) || /^[\d.]+$/.test(text)) return undefined;
  const name = text.replace(/^\./, '');
  return (host) => plainAddress(host) === '' && (host === name || host.endsWith(`.${name}`));
}

/** The entry of a text; undefined if it is none. */
function entryOf(text: string): Entry | undefined {
  // An address of IPv6 has colons of its own, and a port only behind brackets.
  const [, bracketed, bare, digits] = /^(?:\[(.+)\]|([^:]+))(?::(\d{1,5}))?$/.exec(text) ?? [];
  const port = digits === undefined ? undefined : Number(digits);
  if (port !== undefined && (port === 0 || port > 65_535)) return undefined;
  const matches = matcherOf(plainHost(bracketed ?? bare ?? text));
  return matches && { port, matches };
}

/** Whether a text is a list for {@link NoProxy}. */
export function isNoProxy(text: string): boolean {
  const parts = partsOf(text);
  return parts.length <= ENTRIES_MAX && parts.every((part) => entryOf(part) !== undefined);
}

/**
 * The hosts that are connected to without the proxy. The list is separated by commas or blanks. `example.com` and `.example.com` are that name and all names
 * below it; an address or a range as CIDR is compared with addresses only; `*` is every host. Any of them may end with `:port`.
 */
export class NoProxy {
  readonly #entries: readonly Entry[];

  /** @param text a list that {@link isNoProxy} accepts; other entries match nothing */
  constructor(text = '') {
    this.#entries = partsOf(text).flatMap((part) => entryOf(part) ?? []);
  }

  /** @param host a name or an address, with or without brackets */
  has(host: string, port: number): boolean {
    const plain = plainHost(host);
    return this.#entries.some((entry) => (entry.port ?? port) === port && entry.matches(plain));
  }
}
