import type { Socket } from 'node:net';
import type { Logger } from '@tidings/runtime';
import { callerOf } from '../auth/caller.ts';

const FIRST_BYTE_MS = 5_000;

export interface ConnectionSharesOptions {
  readonly connections: number;
  readonly protocol: string;
  readonly isProxy: (address: string) => boolean;
  readonly log: Pick<Logger, 'warn'>;
}

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

/** A client address (IPv6: /64) may have half of all connections without a request. */
export interface ConnectionShares {
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

export function requireFirstByte(socket: Socket): void {
  const timer = setTimeout(() => {
    if (socket.bytesRead === 0) socket.destroy();
  }, FIRST_BYTE_MS).unref();
  socket.once('close', () => clearTimeout(timer));
}
