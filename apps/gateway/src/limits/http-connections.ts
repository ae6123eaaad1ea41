import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type ConnectionShares, type CountedConnection, requireFirstByte } from './connection-shares.ts';

const PIPELINED_MAX = 100;

export interface HttpConnectionsOptions {
  readonly shares: ConnectionShares;
  readonly refused: () => void;
  readonly flooded: () => void;
}

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

/** Per connection, so that a request costs no closure. */
class HttpConnection {
  readonly #counted: CountedConnection;
  readonly #received: () => void;
  readonly #replied: (this: ServerResponse) => void;
  requests = 0;

  constructor(counted: CountedConnection) {
    this.#counted = counted;
    this.#received = () => counted.begin();
    const end = (response: ServerResponse): void => this.#end(response);
    this.#replied = function () {
      end(this);
    };
  }

  begin(request: IncomingMessage, response: ServerResponse): void {
    this.requests++;
    // A body that does not arrive leaves its connection idle.
    if (hasBody(request)) request.on('end', this.#received);
    else this.#counted.begin();
    response.on('close', this.#replied);
  }

  #end({ req }: ServerResponse): void {
    this.requests--;
    if (!hasBody(req) || req.readableEnded) this.#counted.end();
    else req.off('end', this.#received);
  }
}

export function serveConnections(server: Server, listener: RequestListener, options: HttpConnectionsOptions): void {
  const { shares, refused, flooded } = options;
  const open = new WeakMap<Socket, HttpConnection>();
  server.on('connection', (socket: Socket) => {
    const counted = shares.open(socket.remoteAddress ?? '');
    if (!counted) {
      refused();
      return void socket.destroy();
    }
    open.set(socket, new HttpConnection(counted));
    socket.once('close', () => counted.close());
    requireFirstByte(socket);
  });
  server.on('request', (request, response) => {
    const { socket } = request;
    const connection = open.get(socket);
    if (!connection) return;
    if (connection.requests === PIPELINED_MAX) {
      if (!socket.destroyed) flooded();
      socket.destroy();
      return;
    }
    connection.begin(request, response);
    listener(request, response);
  });
}
