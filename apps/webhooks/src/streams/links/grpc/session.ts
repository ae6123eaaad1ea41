import { once } from 'node:events';
import { type ClientHttp2Session, connect } from 'node:http2';
import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls, rootCertificates } from 'node:tls';
import { tunnelTo } from '@tidings/http2';
import { serverNameOf } from '@tidings/runtime';
import type { GrpcEndpoint } from '../../../subscriptions/endpoint.ts';
import type { LinkDeps } from '../link-port.ts';

const REACH_MS = 5_000;

export const authorityOf = ({ host, port }: GrpcEndpoint): string =>
  (isIP(host) === 6 ? `[${host}]` : host) + `:${port}`;

async function socketTo(endpoint: GrpcEndpoint, deps: LinkDeps, signal: AbortSignal): Promise<Socket> {
  const { host, port, tls } = endpoint;
  const { guard, proxy, extraCa } = deps;
  const { lookup } = guard;
  if (isIP(host) !== 0) await guard.resolve(host);
  if (!tls) return connectTcp({ host, port, lookup, noDelay: true });
  const tunnel = await tunnelTo({ url: `https://${authorityOf(endpoint)}`, lookup }, proxy, signal);
  return connectTls({
    host,
    port,
    lookup,
    ALPNProtocols: ['h2'],
    // A literal address is verified as itself.
    ...serverNameOf(host),
    ...(extraCa === undefined ? {} : { ca: [...rootCertificates, extraCa] }),
    ...(tunnel ? { socket: tunnel } : {}),
  });
}

/** @throws within 5 s, or 10 s by a proxy */
export async function openSession(
  endpoint: GrpcEndpoint,
  deps: LinkDeps,
  stop: AbortSignal,
): Promise<ClientHttp2Session> {
  const socket = await socketTo(endpoint, deps, stop);
  const session = connect(`${endpoint.tls ? 'https' : 'http'}://${authorityOf(endpoint)}`, {
    createConnection: () => socket,
    settings: { enablePush: false },
  });
  session.on('error', () => undefined);
  const timeout = AbortSignal.timeout(REACH_MS);
  try {
    await Promise.race([
      once(session, 'remoteSettings', { signal: AbortSignal.any([stop, timeout]) }),
      once(session, 'close').then(() => Promise.reject(new Error('the subscriber has closed the connection'))),
    ]);
    return session;
  } catch (error) {
    session.destroy();
    throw timeout.aborted ? new Error(`not connected within ${REACH_MS / 1000} s`) : error;
  }
}
