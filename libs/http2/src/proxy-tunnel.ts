import type { LookupAddress } from 'node:dns';
import { request as requestHttp } from 'node:http';
import { isIP, isIPv6, type LookupFunction, type Socket } from 'node:net';
import type { OutboundProxy } from '@tidings/runtime';
import { proxyFailed } from './connection-failure.ts';

const HEAD_MAX = 16_384;
const TUNNEL_MS = 5_000;
const ADDRESSES_MAX = 4;

export interface Destination {
  readonly url: string;
  /** The proxy never gets a name that callers choose. */
  readonly lookup?: LookupFunction | undefined;
}

interface Target {
  readonly host: string;
  readonly port: number;
}

const targetOf = (url: string): Target | undefined => {
  const { protocol, hostname, port } = new URL(url);
  if (protocol !== 'https:') return undefined;
  return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) || 443 };
};

export function needsProxy({ url }: Destination, proxy: OutboundProxy | undefined): proxy is OutboundProxy {
  const target = proxy && targetOf(url);
  return target !== undefined && proxy!.serves(target.host, target.port);
}

/** Settles within 5 s; undefined means a direct connection. */
export async function tunnelTo(
  destination: Destination,
  proxy: OutboundProxy | undefined,
  signal: AbortSignal,
): Promise<Socket | undefined> {
  if (!needsProxy(destination, proxy)) return undefined;
  const ending = AbortSignal.any([signal, AbortSignal.timeout(TUNNEL_MS)]);
  const targets = await targetsOf(destination, proxy, ending);
  let failure: Error | undefined;
  for (const target of targets.slice(0, ADDRESSES_MAX)) {
    try {
      return await openTunnel(proxy, target, ending);
    } catch (error) {
      failure = error as Error;
      if (ending.aborted) break;
    }
  }
  if (failure) throw failure;
  return undefined;
}

async function targetsOf({ url, lookup }: Destination, proxy: OutboundProxy, signal: AbortSignal): Promise<Target[]> {
  const target = targetOf(url)!;
  const { host, port } = target;
  if (!lookup || isIP(host) !== 0) return [target];
  const found = await lookUp(host, lookup, signal);
  return (
    found
      .filter(({ address }) => proxy.serves(address, port))
      // Not every proxy has IPv6.
      .sort((one, other) => one.family - other.family)
      .map(({ address }) => ({ host: address, port }))
  );
}

function lookUp(host: string, lookup: LookupFunction, signal: AbortSignal): Promise<readonly LookupAddress[]> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason as Error);
    if (signal.aborted) return abort();
    signal.addEventListener('abort', abort, { once: true });
    lookup(host, { all: true }, (error, found, family) => {
      signal.removeEventListener('abort', abort);
      if (error) reject(error);
      else resolve(typeof found === 'string' ? [{ address: found, family: family ?? isIP(found) }] : found);
    });
  });
}

const ignore = (): void => undefined;

const headersFor = (authority: string, credentials: string | undefined): Readonly<Record<string, string>> => ({
  host: authority,
  ...(credentials === undefined
    ? {}
    : { 'proxy-authorization': `Basic ${Buffer.from(credentials).toString('base64')}` }),
});

/** Errors never contain the proxy's text: it may repeat credentials. */
function openTunnel(proxy: OutboundProxy, { host, port }: Target, signal: AbortSignal): Promise<Socket> {
  const authority = `${isIPv6(host) ? `[${host}]` : host}:${port}`;
  const opening = Promise.withResolvers<Socket>();
  const request = requestHttp({
    method: 'CONNECT',
    host: proxy.host,
    port: proxy.port,
    path: authority,
    agent: false,
    headers: headersFor(authority, proxy.credentials()),
    maxHeaderSize: HEAD_MAX,
  });
  const fail = (reason: string): void => opening.reject(proxyFailed(`${reason} (CONNECT ${authority})`));
  const abort = (): void => {
    fail(`the proxy has not answered: ${(signal.reason as Error).message}`);
    request.destroy();
  };
  request.on('error', ({ code, message }: NodeJS.ErrnoException) => fail(`the proxy failed: ${code ?? message}`));
  request.once('connect', ({ statusCode = 0 }, socket: Socket, head) => {
    socket.on('error', ignore);
    socket.setNoDelay(true);
    if (statusCode < 200 || statusCode > 299) fail(`the proxy answered ${statusCode}`);
    else if (head.length > 0) fail('the proxy sent data of its own');
    else {
      opening.resolve(socket);
      return;
    }
    socket.destroy();
  });
  if (signal.aborted) abort();
  else request.end();
  signal.addEventListener('abort', abort, { once: true });
  return opening.promise.finally(() => signal.removeEventListener('abort', abort));
}
