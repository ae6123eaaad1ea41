import type { LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { Fault } from '@tidings/kernel';
import { AddressRanges, plainAddress } from './address-ranges.ts';
import { allAddresses, answerWith, systemLookup } from './look-up.ts';

/** IANA's special-purpose registries, and what cloud vendors reserve elsewhere. */
const forbidden = new AddressRanges([
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  // Azure's channel to machines, IBM Cloud's services, Google's private APIs.
  '168.63.129.16',
  '161.26.0.0/16',
  '166.8.0.0/14',
  '199.36.153.4/30',
  '199.36.153.8/30',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/3',
  '::/96',
  '::ffff:0:0:0/96',
  '64:ff9b::/96',
  '64:ff9b:1::/48',
  '100::/64',
  '100:0:0:1::/64',
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  '3fff::/20',
  '5f00::/16',
  'fc00::/7',
  'fe80::/9',
  'ff00::/8',
]);

const LOCALHOST = /(^|\.)localhost\.?$/i;

const noPublicAddress = (hostname: string): string => `${hostname} has no public address`;

export class AddressGuard {
  readonly #allowed: AddressRanges;
  readonly #lookup: LookupFunction;

  constructor(allowPrivate: readonly string[], lookup: LookupFunction = systemLookup) {
    this.#allowed = new AddressRanges(allowPrivate);
    this.#lookup = lookup;
  }

  allows(address: string): boolean {
    if (plainAddress(address) === '') return false;
    return this.#allowed.has(address) || !forbidden.has(address);
  }

  /** Literal addresses that the operator has named, and names of this machine. */
  isOperatorNamed(host: string): boolean {
    return this.#allowed.has(LOCALHOST.test(host) ? '127.0.0.1' : host.replace(/^\[(.*)\]$/, '$1'));
  }

  /** Other names are resolved when connecting: earlier results could change. */
  allowsHost(host: string): boolean {
    const literal = host.replace(/^\[(.*)\]$/, '$1');
    if (isIP(literal) !== 0) return this.allows(literal);
    return !LOCALHOST.test(host) || this.allows('127.0.0.1');
  }

  /** @throws Fault `forbidden` if only other addresses exist */
  resolve(hostname: string): Promise<readonly LookupAddress[]> {
    return new Promise((resolve, reject) => {
      this.lookup(hostname, { all: true }, (error, found) =>
        error ? reject(error) : resolve(found as LookupAddress[]),
      );
    });
  }

  /** The checked address is the one connected to. */
  readonly lookup: LookupFunction = (hostname, options, callback) => {
    allAddresses(this.#lookup, hostname, options, (error, found) => {
      const allowed = error ? [] : found.filter(({ address }) => this.allows(address));
      if (error) callback(error, '', 0);
      else if (allowed.length === 0) callback(Fault.forbidden(noPublicAddress(hostname)), '', 0);
      else answerWith(allowed, options, callback);
    });
  };
}
