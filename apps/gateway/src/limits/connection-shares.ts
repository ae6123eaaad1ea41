import type { Socket } from 'node:net';
import type { Logger } from '@tidings/runtime';
import { callerOf } from '../auth/caller.ts';

/** Time limit for the first byte of a connection. */
const FIRST_BYTE_MS = 5_000;

export interface ConnectionSharesOptions {
  /** Maximum number of connections of all clients. */
  readonly connections: number;
  /** What they are connections of, for the log. */
  readonly protocol: string;
  /** Whether an address is a trusted proxy, whose connections are those of many clients. */
  readonly isProxy: (address: string) => boolean;
  readonly log: Pick<Logger, 'warn'>;
}

/** A connection, which counts while it has no request in progress. */
export interface CountedConnection {
  begin(): void;
  end(): void;
  close(): void;
}

interface Share {
  connections: number;
  idle: number;
  isRefused: boolean;
}

/** Counts the connections without a request in progress by client address (IPv6: /64), each of which may have half of all. */
export interface ConnectionShares {
  /** Undefined if the client has its share. */
  open(address: string): CountedConnection | undefined;
}

export function connectionShares({ connections, protocol, isProxy, log }: ConnectionSharesOptions): ConnectionShares {
  const most = Math.max(1, Math.floor(connections / 2));
  const shares = new Map<string, Share>();

  const refuse = (address: string, share: Share): void => {
    if (share.isRefused) return;
    share.isRefused = true;
    log.warn(
      { address, connections: share.idle },
      `half of all connections of ${protocol} are those of one address: further ones are refused; if it is a proxy or load balancer, name it in TRUSTED_PROXIES`,
    );
  };
  const shareOf = (caller: string): Share => {
    const share = shares.get(caller) ?? { connections: 0, idle: 0, isRefused: false };
    shares.set(caller, share);
    return share;
  };
  const counted = (caller: string): CountedConnection => {
    const share = shareOf(caller);
    let requests = 0;
    let isOpen = true;
    share.connections++;
    share.idle++;
    return {
      begin() {
        if (isOpen && requests++ === 0) share.idle--;
      },
      end() {
        if (isOpen && --requests === 0) share.idle++;
      },
      close() {
        if (!isOpen) return;
        isOpen = false;
        if (requests === 0) share.idle--;
        if (--share.connections === 0) shares.delete(caller);
      },
    };
  };

  return {
    open(address) {
      const caller = callerOf(address);
      const share = shares.get(caller);
      if (!share || share.idle < most || isProxy(address)) return counted(caller);
      refuse(address, share);
      return undefined;
    },
  };
}

/** Closes a connection whose first byte does not come in time. */
export function requireFirstByte(socket: Socket): void {
  const timer = setTimeout(() => {
    if (socket.bytesRead === 0) socket.destroy();
  }, FIRST_BYTE_MS).unref();
  socket.once('close', () => clearTimeout(timer));
}
