import { z } from 'zod';
import { AddressRanges } from './address-ranges.ts';
import { isNoProxy, NoProxy } from './no-proxy.ts';

const loopback = new AddressRanges(['127.0.0.0/8', '::1/128']);

const isLoopback = (host: string): boolean =>
  /(^|\.)localhost\.?$/i.test(host) || loopback.has(host.replace(/^\[(.*)\]$/, '$1'));

export class OutboundProxy {
  readonly host: string;
  readonly port: number;
  readonly #credentials: string | undefined;
  readonly #noProxy: NoProxy;

  constructor(url: string, noProxy?: string) {
    const { hostname, port, username, password } = new URL(url);
    this.host = hostname.replace(/^\[(.*)\]$/, '$1');
    this.port = Number(port) || 80;
    this.#credentials = username === '' ? undefined : `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
    this.#noProxy = new NoProxy(noProxy);
  }

  credentials(): string | undefined {
    return this.#credentials;
  }

  serves(host: string, port: number): boolean {
    return !isLoopback(host) && !this.#noProxy.has(host, port);
  }
}

const FORM = 'must be http://host:port or http://user:password@host:port';

function hasUsableCredentials({ username, password }: URL): boolean {
  try {
    const texts = [username, password].map((text) => decodeURIComponent(text));
    return (
      !texts[0]!.includes(':') && texts.every((text) => !/\p{Cc}/u.test(text)) && (username !== '' || password === '')
    );
  } catch {
    return false;
  }
}

function isProxy(text: string): boolean {
  const url = URL.parse(text);
  if (!url || url.protocol !== 'http:' || url.hostname === '') return false;
  return url.pathname === '/' && url.search === '' && url.hash === '' && hasUsableCredentials(url);
}

export const proxyVariables = {
  HTTPS_PROXY: z
    .string()
    .refine((text) => !/^https:/i.test(text), {
      error: 'must begin with http://: TLS to the proxy is not supported',
      abort: true,
    })
    .refine(isProxy, FORM)
    .optional()
    .meta({
      unset: 'direct',
      description:
        'proxy for [outgoing TLS connections](operations/network.md#proxies-for-outgoing-connections): `http://host:port` or `http://user:password@host:port`; for dispatchers and webhooks',
    }),
  NO_PROXY: z
    .string()
    .refine(
      isNoProxy,
      'must be names, suffixes such as .example.com, addresses and ranges, each with or without :port, or *',
    )
    .optional()
    .meta({ description: 'hosts that are reached without it: `.example.com,10.0.0.0/8`' }),
};

export const proxyOf = ({
  HTTPS_PROXY,
  NO_PROXY,
}: z.infer<z.ZodObject<typeof proxyVariables>>): OutboundProxy | undefined =>
  HTTPS_PROXY === undefined ? undefined : new OutboundProxy(HTTPS_PROXY, NO_PROXY);
