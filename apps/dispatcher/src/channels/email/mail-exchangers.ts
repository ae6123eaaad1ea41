import { resolveMx } from 'node:dns/promises';
import { Fault } from '@tidings/kernel';
import type { AddressGuard } from '@tidings/runtime';

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

export const systemNames = (addresses: AddressGuard): MailNames => ({
  mx: (domain) => resolveMx(domain),
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

/**
 * The server of a domain that the next session leads to. Each failure moves on to the next host.
 * @throws NoMailDomain if the domain takes no mail
 * @throws Fault `forbidden` if its servers have no public address
 */
export async function exchangerOf(domain: string, failures: number, names: MailNames): Promise<Exchanger> {
  const hosts = (await hostsOf(domain, names)).slice(0, HOSTS_MAX);
  let last: unknown;
  for (let i = 0; i < hosts.length; i++) {
    const host = hosts[(failures + i) % hosts.length]!;
    try {
      const [address] = await names.addresses(host);
      if (address !== undefined) return { host, address };
    } catch (error) {
      last = error;
    }
  }
  if (isAbsent(last)) throw new NoMailDomain(`${domain} has no mail server`);
  throw last instanceof Error ? last : Fault.unavailable(`${domain} has no mail server`);
}
