import { request as requestHttp } from 'node:http';
import { request as requestHttps, type RequestOptions } from 'node:https';
import { isIP } from 'node:net';
import { Fault } from '@tidings/kernel';
import type { AddressGuard } from '@tidings/runtime';

export interface FormReply {
  readonly status: number;
  /** Truncated to 64 KiB. */
  readonly body: string;
}

/**
 * Posts a form to a caller-supplied address without following redirects. Throws a Fault `forbidden` for addresses that must not be called,
 * `unavailable` without an answer within 10 s.
 */
export type PostForm = (url: string, fields: Readonly<Record<string, string>>) => Promise<FormReply>;

const TIMEOUT_MS = 10_000;
const BODY_MAX = 65_536;

/** Posts after checking the address. @param ca PEM of all CA certificates @default Node's own */
export const guardedPostForm =
  (guard: AddressGuard, ca?: readonly string[]): PostForm =>
  async (url, fields) => {
    const address = URL.parse(url);
    if (!address || !/^https?:$/.test(address.protocol))
      throw Fault.forbidden('The token address is not a web address');
    const host = address.hostname.replace(/^\[|\]$/g, '');
    // Literal addresses are not resolved.
    if (isIP(host) !== 0 && !guard.allows(host)) throw Fault.forbidden('The token address is not public');
    const body = new URLSearchParams(fields).toString();
    const options: RequestOptions = {
      method: 'POST',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        'content-length': Buffer.byteLength(body),
        accept: 'application/json',
      },
      lookup: guard.lookup,
      signal: AbortSignal.timeout(TIMEOUT_MS),
      agent: false,
      ...(ca ? { ca: [...ca] } : {}),
    };
    try {
      return await post(address, options, body);
    } catch (error) {
      if (error instanceof Fault) throw error;
      throw Fault.unavailable(`the token address ${address.host} does not answer`, error);
    }
  };

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
