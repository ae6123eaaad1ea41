import { Resolver } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { Fault } from '@tidings/kernel';
import { type AddressGuard, allAddresses } from '@tidings/runtime';

/** A server that takes mail for a domain. */
export interface Exchanger {
  readonly host: string;
  /** The checked address to connect to. */
  readonly address: string;
}

/** Looks up names as the domain name system has them. */
export interface MailNames {
  /** Rejects with ENOTFOUND or ENODATA where there are none. */
  mx(domain: string): Promise<readonly { readonly exchange: string; readonly priority: number }[]>;
  addresses(host: string): Promise<readonly string[]>;
}

/** The domain takes no mail: it does not exist, or says so (RFC 7505). */
export class NoMailDomain extends Error {}

const absent: ReadonlySet<unknown> = new Set(['ENOTFOUND', 'ENODATA']);
const isAbsent = (error: unknown): boolean => absent.has((error as NodeJS.ErrnoException).code);

/** The first of two queries of a name server waits for so long, the second one for twice that. */
const QUERY_MS = 3_000;

export const systemNames = (addresses: AddressGuard): MailNames => ({
  mx: (domain) => new Resolver({ timeout: QUERY_MS, tries: 2 }).resolveMx(domain),
  addresses: async (host) => (await addresses.resolve(host)).map(({ address }) => address),
});

/** The hosts of a domain by preference; the domain itself if it names none (RFC 5321, 5.1). */
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

/** Maximum number of hosts of a domain that are tried: a domain may name any number. */
const HOSTS_MAX = 10;

/** The address of a host for the next session. Each failure moves on to the next one. */
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

/**
 * The server of a domain that the next session leads to. Each failure moves on to the next host, and after the last one to their next addresses.
 * @throws NoMailDomain if the domain takes no mail
 * @throws Fault `forbidden` if its servers have no public address
 */
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
