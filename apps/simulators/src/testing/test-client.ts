import { type ClientHttp2Session, type ClientHttp2Stream, connect, type OutgoingHttpHeaders } from 'node:http2';
import { apnsToken } from '../apns/apns-tokens.ts';

export interface Seen {
  status: number;
  headers: Record<string, unknown>;
  body: string;
  /** 0 if the stream ended normally. */
  reset: number;
}

export interface Client {
  readonly session: ClientHttp2Session;
  readonly goaways: number[];
  send(headers: OutgoingHttpHeaders, body: string | Buffer): Promise<Seen>;
  close(): void;
}

const seenOf = (stream: ClientHttp2Stream): Promise<Seen> =>
  new Promise((resolve) => {
    const seen: Seen = { status: 0, headers: {}, body: '', reset: 0 };
    stream.setEncoding('utf8');
    stream.on('response', (headers) => {
      seen.headers = headers;
      seen.status = Number(headers[':status']);
    });
    stream.on('data', (text: string) => (seen.body += text));
    stream.on('error', () => undefined);
    stream.on('close', () => resolve({ ...seen, reset: stream.rstCode ?? 0 }));
  });

/** Does not wait for the peer; `ca` is the trusted certificate. */
export const client = (url: string, ca?: string): Client => {
  const session = connect(new URL(url).origin, ca === undefined ? {} : { ca });
  const goaways: number[] = [];
  session.on('error', () => undefined);
  session.on('goaway', (_code: number, last: number) => goaways.push(last));
  const send = (headers: OutgoingHttpHeaders, body: string | Buffer): Promise<Seen> => {
    const stream = session.request({ ':method': 'POST', ...headers });
    const seen = seenOf(stream);
    stream.end(body);
    return seen;
  };
  return { session, goaways, send, close: () => session.destroy() };
};

export const hashOf = (message: string, n: number): string => `P_423M_${message}_bEL-4nm3p4-4bbkUN_d${n}`;

const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Valid if the key is unknown. */
export const unsignedToken = (claims: object = {}, header: object = {}): string => {
  const first = part({ alg: 'ES256', kid: 'KEY0000001', ...header });
  const second = part({ iss: 'TEAM000001', iat: Math.floor(Date.now() / 1000), ...claims });
  return `bearer ${first}.${second}.${Buffer.alloc(64, 7).toString('base64url')}`;
};

const defaultToken = unsignedToken();

/** `undefined` omits a header. */
export const apnsHeaders = (
  token = apnsToken('accepted', 0),
  change: OutgoingHttpHeaders = {},
): OutgoingHttpHeaders => {
  const headers: OutgoingHttpHeaders = {
    ':path': `/3/device/${token}`,
    authorization: defaultToken,
    'apns-topic': 'com.example.app',
    'apns-push-type': 'alert',
    'apns-priority': '10',
    'apns-expiration': '0',
    ...change,
  };
  return Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined));
};

export const apnsPayload = (hash = hashOf('lQlKFY', 0)): string => JSON.stringify({ aps: { alert: 'hi' }, p: hash });

export const reasonIn = ({ body }: Seen): unknown => (JSON.parse(body) as { reason?: unknown }).reason;
