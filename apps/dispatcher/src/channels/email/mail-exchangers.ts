import { Resolver } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { Fault } from '@tidings/kernel';
import { type AddressGuard, allAddresses } from '@tidings/runtime';

export interface Exchanger {
  readonly host: string;
  readonly address: string;
}

export interface MailNames {
  mx(domain: string): Promise<readonly { readonly exchange: string; readonly priority: number }[]>;
  addresses(host: string): Promise<readonly string[]>;
}

export class NoMailDomain extends Error {}

const absent: ReadonlySet<unknown> = new Set(['ENOTFOUND', 'ENODATA']);
const isAbsent = (error: unknown): boolean => absent.has((error as NodeJS.ErrnoException).code);

const QUERY_MS = 3_000;

export const systemNames = (addresses: AddressGuard): MailNames => ({
  mx: (domain) => new Resolver({ timeout: QUERY_MS, tries: 2 }).resolveMx(domain),
  addresses: async (host) => (await addresses.resolve(host)).map(({ address }) => address),
});

/** A domain without MX records takes mail itself (RFC 5321, 5.1). */
async function hostsOf(domain: string, names: MailNames): Promise<readonly string[]> {
  try {
    const found = [...(await names.mx(domain))].sort((a, b) => a.priority - b.priority);
    const hosts = found.map(({ exchange }) => exchange.replace(/\.$/, ''));
    if (hosts.length > 0 && hosts.every((host) => host === '')) throw new NoMailDomain(`${domain} takes no mail`);
    if (hosts.length > 0) return hosts.filter((host) => host !== '');
  } catch (error) {
    if (!isAbsent(error)) throw error;
  }
  return [domain];
}

/** A domain may name any number. */
const HOSTS_MAX = 10;

export function addressOf(host: string, failures: number, lookup: LookupFunction): Promise<string> {
  if (isIP(host) !== 0) return Promise.resolve(host);
  return new Promise((resolve, reject) =>
    allAddresses(lookup, host, {}, (error, found) => {
      const address = found[failures % Math.max(1, found.length)]?.address;
      if (address === undefined) reject(error ?? Fault.unavailable(`${host} has no address`));
      else resolve(address);
    }),
  );
}

/** @throws NoMailDomain @throws Fault `forbidden` without a public address */
export async function exchangerOf(domain: string, failures: number, names: MailNames): Promise<Exchanger> {
  const hosts = (await hostsOf(domain, names)).slice(0, HOSTS_MAX);
  let last: unknown;
  for (let i = 0; i < hosts.length; i++) {
    const host = hosts[(failures + i) % hosts.length]!;
    try {
      const addresses = await names.addresses(host);
      const address = addresses[Math.floor(failures / hosts.length) % addresses.length];
      if (address !== undefined) return { host, address };
    } catch (error) {
      last = error;
    }
  }
  if (isAbsent(last)) throw new NoMailDomain(`${domain} has no mail server`);
  throw last instanceof Error ? last : Fault.unavailable(`${domain} has no mail server`);
}
