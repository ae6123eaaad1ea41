import { once } from 'node:events';
import { type IncomingHttpHeaders, request } from 'node:http';
import { text } from 'node:stream/consumers';

/** A reply as it came over the wire, with nothing read into it. */
export interface RawReply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

export interface RawRequest {
  readonly verb?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

/** Sends a request exactly as told: no header is added but Host, Connection and the length. */
export async function rawSend(url: string, { verb = 'POST', headers = {}, body }: RawRequest = {}): Promise<RawReply> {
  const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
  const outgoing = request(url, { method: verb, headers: { ...length, ...headers } });
  outgoing.end(body);
  const [incoming] = (await once(outgoing, 'response')) as Parameters<Parameters<typeof request>[1] & object>;
  return { status: incoming.statusCode ?? 0, headers: incoming.headers, text: await text(incoming) };
}
