import type { LookupAddress } from 'node:dns';
import { request as requestHttp } from 'node:http';
import { isIP, isIPv6, type LookupFunction, type Socket } from 'node:net';
import type { OutboundProxy } from '@tidings/runtime';
import { proxyFailed } from './connection-failure.ts';

/** Maximum bytes of the head of the proxy's answer. */
const HEAD_MAX = 16_384;
/** Time limit for the proxy's answer, in milliseconds. */
const TUNNEL_MS = 5_000;
/** Maximum number of addresses of a name that are tried. */
const ADDRESSES_MAX = 4;

/** The destination of a connection. */
export interface Destination {
  /** Address of the destination: only connections to `https:` go through the proxy. */
  readonly url: string;
  /** Given for hosts that callers choose: the proxy gets an address that it returned, never the name. */
  readonly lookup?: LookupFunction | undefined;
}

/** A name or a literal address, without brackets, and a port. */
interface Target {
  readonly host: string;
  readonly port: number;
}

/** Undefined for another scheme than `https:`. */
const targetOf = (url: string): Target | undefined => {
  const { protocol, hostname, port } = new URL(url);
  if (protocol !== 'https:') return undefined;
  return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) || 443 };
};

/** Whether a destination may need the proxy: one that does not is connected to directly. */
export function needsProxy({ url }: Destination, proxy: OutboundProxy | undefined): proxy is OutboundProxy {
  const target = proxy && targetOf(url);
  return target !== undefined && proxy!.serves(target.host, target.port);
}

/**
 * A socket on which the next byte goes to the destination, by the proxy's tunnel; undefined if the destination is reached directly. Resolves or rejects
 * within 5 s, and rejects with the reason of the signal when that is aborted.
 * @throws an error with the cause `proxy_failed`, or the cause of the look-up
 */
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

/** The names for the proxy of a destination, in the order in which they are tried; none if it is reached directly. */
async function targetsOf({ url, lookup }: Destination, proxy: OutboundProxy, signal: AbortSignal): Promise<Target[]> {
  const target = targetOf(url)!;
  const { host, port } = target;
  if (!lookup || isIP(host) !== 0) return [target];
  const found = await lookedUp(host, lookup, signal);
  return (
    found
      .filter(({ address }) => proxy.serves(address, port))
      // Not every proxy has IPv6.
      .sort((one, other) => one.family - other.family)
      .map(({ address }) => ({ host: address, port }))
  );
}

function lookedUp(host: string, lookup: LookupFunction, signal: AbortSignal): Promise<readonly LookupAddress[]> {
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

/** The proxy's own text is in no error: it may repeat credentials. */
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
    // Until the next owner of the socket listens.
    socket.on('error', ignore);
    socket.setNoDelay(true);
    if (statusCode < 200 || statusCode > 299) fail(`the proxy answered ${statusCode}`);
    // A server of TLS does not speak first.
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
