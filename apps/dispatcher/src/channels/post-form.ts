import { request as requestHttp } from 'node:http';
import { request as requestHttps, type RequestOptions } from 'node:https';
import { isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { tunnelTo, turnedLookup } from '@tidings/http2';
import { Fault } from '@tidings/kernel';
import { type AddressGuard, type OutboundProxy, serverNameOf, systemLookup } from '@tidings/runtime';

export interface FormReply {
  readonly status: number;
  readonly body: string;
}

export interface PostFormOptions {
  /** Absent = all addresses: the operator may run a substitute in a private network. */
  readonly guard?: AddressGuard | undefined;
  readonly ca?: readonly string[] | undefined;
  readonly proxy?: OutboundProxy | undefined;
}

/** Follows no redirects. @throws Fault `forbidden` for forbidden addresses, `unavailable` without an answer within 10 s */
export type PostForm = (url: string, fields: Readonly<Record<string, string>>) => Promise<FormReply>;

const TIMEOUT_MS = 10_000;
const HOSTS_MAX = 1_000;
const BODY_MAX = 65_536;

export function postFormBy({ guard, ca, proxy }: PostFormOptions): PostForm {
  const failures = new Map<string, number>();
  return async (url, fields) => {
    const address = URL.parse(url);
    if (!address || !/^https?:$/.test(address.protocol))
      throw Fault.forbidden('The token address is not a web address');
    const host = hostOf(address);
    // Literal addresses are not resolved.
    if (guard && isIP(host) !== 0 && !guard.allows(host)) throw Fault.forbidden('The token address is not public');
    const body = new URLSearchParams(fields).toString();
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const offset = failures.get(host) ?? 0;
    const lookup = turnedLookup(guard?.lookup ?? systemLookup, () => offset);
    try {
      const tunnel = await tunnelTo({ url: address.href, lookup: guard && lookup }, proxy, signal);
      const options: RequestOptions = {
        method: 'POST',
        headers: {
          'content-type': 'application/x-www-form-urlencoded',
          'content-length': Buffer.byteLength(body),
          accept: 'application/json',
        },
        signal,
        ...(ca ? { ca: [...ca] } : {}),
        ...(tunnel ? over(tunnel, host, ca) : { agent: false, lookup }),
      };
      return await post(address, options, body);
    } catch (error) {
      if (error instanceof Fault) throw error;
      if (failures.size >= HOSTS_MAX) failures.clear();
      failures.set(host, offset + 1);
      throw Fault.unavailable(`the token address ${address.host} does not answer`, error);
    }
  };
}

const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, '');

const over = (socket: Socket, host: string, ca: readonly string[] | undefined): RequestOptions => ({
  createConnection: () =>
    connectTls({
      socket,
      host,
      ...serverNameOf(host),
      ...(ca ? { ca: [...ca] } : {}),
    }),
});

function post(address: URL, options: RequestOptions, body: string): Promise<FormReply> {
  return new Promise((resolve, reject) => {
    const start = address.protocol === 'http:' ? requestHttp : requestHttps;
    const outgoing = start(address, options, (reply) => {
      let text = '';
      reply.setEncoding('utf8');
      reply.on('data', (chunk: string) => {
        if (text.length < BODY_MAX) text += chunk.slice(0, BODY_MAX - text.length);
      });
      reply.on('end', () => resolve({ status: reply.statusCode ?? 0, body: text }));
      reply.on('error', reject);
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}
