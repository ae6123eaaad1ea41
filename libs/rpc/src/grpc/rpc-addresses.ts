import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { Fault } from '@tidings/kernel';

export interface HostPort {
  readonly host: string;
  readonly port: number;
}

export type Resolve = (host: string) => Promise<readonly string[]>;

const FORM = /^(?:\[([\da-f:.]+)\]|([\w.-]+)):(\d{1,5})$/i;

/** `host:port[,host:port…]`, IPv6 in brackets. @throws Fault `argument` for other text */
export function parseAddress(address: string): HostPort[] {
  return address.split(',').map((entry) => {
    const [, ipv6, host, digits] = FORM.exec(entry.trim()) ?? [];
    const port = Number(digits);
    const name = ipv6 ?? host;
    if (name === undefined || !(port > 0 && port <= 65_535)) throw Fault.argument('must be host:port[,host:port…]');
    return { host: name, port };
  });
}

/** All IPv4 addresses of a host, one per replica; otherwise all IPv6 addresses. */
export const resolveHost: Resolve = async (host) => {
  if (isIP(host)) return [host];
  const found = await lookup(host, { all: true, family: 4 }).catch(() => lookup(host, { all: true, family: 6 }));
  return found.map(({ address }) => address);
};

export const replicaName = (ip: string, port: number): string => (isIP(ip) === 6 ? `[${ip}]:${port}` : `${ip}:${port}`);
