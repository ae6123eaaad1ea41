import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { once } from 'node:events';

export interface TunnelRequest {
  /** `host:port`. */
  readonly to: string;
  /** `user:password`. */
  readonly credentials?: string | undefined;
}

export interface ConnectProxy {
  readonly url: string;
  readonly requests: readonly TunnelRequest[];
  open(): number;
  close(): Promise<void>;
}

export interface ConnectProxyOptions {
  /** Local ports by `host:port`; others are answered with 502. */
  readonly routes?: Readonly<Record<string, number>>;
  /** `user:password`; requests without them are answered with 407. */
  readonly credentials?: string;
  readonly answer?: (socket: Socket) => void;
}

const BASIC = 'Basic ';

function requestOf({ url = '', headers }: IncomingMessage): TunnelRequest {
  const header = headers['proxy-authorization'];
  if (header === undefined) return { to: url };
  return { to: url, credentials: Buffer.from(header.slice(BASIC.length), 'base64').toString() };
}

export async function startConnectProxy(options: ConnectProxyOptions = {}): Promise<ConnectProxy> {
  const requests: TunnelRequest[] = [];
  const sockets = new Set<Socket>();
  const track = (socket: Socket): Socket => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    return socket.once('close', () => sockets.delete(socket));
  };
  const server = createServer();
  server.on('connection', track);
  server.on('connect', (message: IncomingMessage, client: Socket) => {
    const request = requestOf(message);
    requests.push(request);
    const port = options.routes?.[request.to];
    if (options.answer) options.answer(client);
    else if (request.credentials !== options.credentials) {
      client.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
    } else if (port === undefined) client.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
    else {
      const tunnel = connect(port, '127.0.0.1', () => {
        client.write('HTTP/1.1 200 Connection established\r\n\r\n');
        client.pipe(tunnel).pipe(client);
      });
      tunnel.on('error', () => undefined);
      tunnel.once('close', () => client.destroy());
      client.once('close', () => tunnel.destroy());
    }
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    open: () => sockets.size,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
