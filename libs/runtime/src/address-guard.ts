import { lookup, type LookupAddress } from 'node:dns';
import { lookup as lookUp } from 'node:dns/promises';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { Fault } from '@tidings/kernel';

/** Ranges that caller-supplied addresses must not be in, unless the operator allows it (reliability 2). */
const privateRanges: readonly (readonly [string, number, 'ipv4' | 'ipv6'])[] = [
  ['0.0.0.0', 8, 'ipv4'],
  ['10.0.0.0', 8, 'ipv4'],
  ['100.64.0.0', 10, 'ipv4'],
  ['127.0.0.0', 8, 'ipv4'],
  ['169.254.0.0', 16, 'ipv4'],
  ['172.16.0.0', 12, 'ipv4'],
  ['192.0.0.0', 24, 'ipv4'],
  ['192.0.2.0', 24, 'ipv4'],
  ['192.88.99.0', 24, 'ipv4'],
  ['192.168.0.0', 16, 'ipv4'],
  ['198.18.0.0', 15, 'ipv4'],
  ['198.51.100.0', 24, 'ipv4'],
  ['203.0.113.0', 24, 'ipv4'],
  ['224.0.0.0', 3, 'ipv4'],
  ['::', 96, 'ipv6'],
  ['::ffff:0:0:0', 96, 'ipv6'],
  ['64:ff9b::', 96, 'ipv6'],
  ['64:ff9b:1::', 48, 'ipv6'],
  ['100::', 64, 'ipv6'],
  ['2001::', 23, 'ipv6'],
  ['2001:db8::', 32, 'ipv6'],
  ['2002::', 16, 'ipv6'],
  ['3fff::', 20, 'ipv6'],
  ['5f00::', 16, 'ipv6'],
  ['fc00::', 7, 'ipv6'],
  ['fe80::', 9, 'ipv6'],
  ['ff00::', 8, 'ipv6'],
];

const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;

const familyOf = (ip: string): 'ipv4' | 'ipv6' => (isIP(ip) === 6 ? 'ipv6' : 'ipv4');

function listOf(ranges: readonly (readonly [string, number, 'ipv4' | 'ipv6'])[]): BlockList {
  const list = new BlockList();
  for (const [net, prefix, family] of ranges) list.addSubnet(net, prefix, family);
  return list;
}

const forbidden = listOf(privateRanges);

const noPublicAddress = (hostname: string): string => `${hostname} has no public address`;

/** Decides which addresses may be connected to for a caller. */
export class AddressGuard {
  readonly #allowed: BlockList;

  /** @param allowPrivate private ranges that are allowed, such as 127.0.0.0/8 */
  constructor(allowPrivate: readonly string[]) {
    this.#allowed = listOf(
      allowPrivate.map((range) => {
        const [net = '', prefix] = range.split('/');
        const family = familyOf(net);
        return [net, prefix === undefined ? (family === 'ipv4' ? 32 : 128) : Number(prefix), family];
      }),
    );
  }

  allows(address: string): boolean {
    const ip = MAPPED.exec(address)?.[1] ?? address;
    if (isIP(ip) === 0) return false;
    const family = familyOf(ip);
    return this.#allowed.check(ip, family) || !forbidden.check(ip, family);
  }

  /** Whether a URL host is a literal address that the operator has named, public or not. */
  excepts(host: string): boolean {
    const ip = host.replace(/^\[(.*)\]$/, '$1');
    return isIP(ip) !== 0 && this.#allowed.check(ip, familyOf(ip));
  }

  /**
   * False for a URL host that is a forbidden address, or a name of this machine. Other names are resolved when connecting: earlier results could
   * change.
   */
  allowsHost(host: string): boolean {
    const literal = host.replace(/^\[(.*)\]$/, '$1');
    if (isIP(literal) !== 0) return this.allows(literal);
    return !/(^|\.)localhost\.?$/i.test(host) || this.allows('127.0.0.1');
  }

  /** The permitted addresses of a name, or of a literal address. @throws Fault `forbidden` if there are only others, and errors of the look-up */
  async resolve(hostname: string): Promise<readonly LookupAddress[]> {
    const allowed = this.#allowedOf(await lookUp(hostname, { all: true }));
    if (allowed.length === 0) throw Fault.forbidden(noPublicAddress(hostname));
    return allowed;
  }

  #allowedOf(found: readonly LookupAddress[]): LookupAddress[] {
    return found.filter(({ address }) => this.allows(address));
  }

  /** A look-up for sockets: the checked address is the one connected to. */
  readonly lookup: LookupFunction = (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, found) => {
      if (error) {
        callback(error, '', 0);
        return;
      }
      const allowed = this.#allowedOf(found);
      const [first] = allowed;
      if (!first) callback(Fault.forbidden(noPublicAddress(hostname)), '', 0);
      else if (options.all) callback(null, allowed);
      else callback(null, first.address, first.family);
    });
  };
}
