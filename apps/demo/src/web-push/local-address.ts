import type { IncomingHttpHeaders } from 'node:http';
import type { Configuration } from '@tidings/runtime';

const LOCAL: ReadonlySet<string> = new Set(['127.0.0.1', 'localhost', '[::1]']);
/** Behind a proxy, a request may come from anywhere. */
const OF_PROXIES = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip'];

const originOf = (address: string): URL | undefined => URL.parse(address) ?? undefined;
const isLocal = (url: URL | undefined): boolean => url?.protocol === 'http:' && LOCAL.has(url.hostname);

/** Listens on the loopback address, and has no other public URL. */
export function isLocalOnly({ host, publicUrl }: Pick<Configuration, 'host' | 'publicUrl'>): boolean {
  const listening = originOf(host.includes(':') ? `http://[${host}]` : `http://${host}`);
  return isLocal(listening) && (publicUrl === undefined || isLocal(originOf(publicUrl)));
}

/** Host: foreign names may point at the loopback address; Origin: other sites' pages. */
export function refusalOf(headers: IncomingHttpHeaders, port: number, verb = 'GET'): string | undefined {
  const target = originOf(`http://${headers.host ?? ''}`);
  if (target === undefined || !isLocal(target) || Number(target.port || 80) !== port)
    return 'Open this page at its local address';
  if (OF_PROXIES.some((name) => headers[name] !== undefined)) return 'This page is not served through a proxy';
  const site = headers['sec-fetch-site'];
  if (verb === 'GET') return undefined;
  const isOwn = headers.origin === target.origin && (site === undefined || site === 'same-origin');
  return isOwn ? undefined : 'Only the page itself may call this';
}
