import { connect, type Socket } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import '@tidings/patches/kafkajs';
import { serverNameOf } from '@tidings/runtime';
import kafkajs from 'kafkajs';

export interface KafkaSasl {
  readonly mechanism: 'PLAIN' | 'SCRAM-SHA-256' | 'SCRAM-SHA-512';
  readonly username: string;
  readonly password: string;
}

export interface KafkaClientOptions {
  /** `host:port`, separated by commas; some of the cluster's brokers suffice. */
  readonly brokers: string;
  readonly clientId: string;
  readonly namespace?: string;
  /** @default no TLS */
  readonly tls?: { readonly cert?: string; readonly key?: string; readonly ca?: string } | undefined;
  readonly sasl?: KafkaSasl | undefined;
  readonly warn: (text: string, cause: unknown) => void;
  readonly openSocket?: (host: string, port: number) => Socket;
}

const BACK_OFF = { initialRetryTime: 100, maxRetryTime: 1_000, factor: 0.2, multiplier: 2 };
export const SHORT_RETRY = { ...BACK_OFF, retries: 5 };
/** Some minutes: a new member would wait for the old session to expire. */
export const LONG_RETRY = { ...BACK_OFF, retries: 200 };
const CONNECTION_TIMEOUT_MS = 3_000;
export const REQUEST_TIMEOUT_MS = 10_000;
const KEEP_ALIVE_MS = 30_000;
/** Longer than a member waits in a rebalance. */
const SILENCE_MS = 20_000;
const CHECK_INTERVAL_MS = 1_000;
const QUIET_MS = 30_000;
const LINES_KEPT = 100;

/** Members of a group must not share a client, which stores offsets once for all. */
export function newClient(
  { brokers, clientId, warn, tls, sasl, openSocket = tcp }: KafkaClientOptions,
  { retry = SHORT_RETRY, signal }: { readonly retry?: kafkajs.RetryOptions; readonly signal?: AbortSignal } = {},
): kafkajs.Kafka {
  return new kafkajs.Kafka({
    // Without brokers kafkajs gives up connecting.
    brokers: () => (signal?.aborted ? [] : brokers.split(',')),
    clientId,
    ...(sasl && { sasl: saslOf(sasl) }),
    connectionTimeout: CONNECTION_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    retry,
    logLevel: kafkajs.logLevel.ERROR,
    logCreator:
      () =>
      ({ namespace, log: { message, timestamp: _, logger: __, ...details } }) => {
        // kafkajs logs brokers' ordinary error answers as exceptions.
        if (namespace === 'Connection' && message.startsWith('Response')) return;
        warn(`Kafka: ${message}`, details);
      },
    socketFactory: ({ host, port, onConnect }) => {
      const socket = openSocket(host, port);
      if (!tls) return failWhenClosed(socket).once('connect', onConnect);
      return failWhenClosed(secured(socket, host, tls)).once('secureConnect', onConnect);
    },
  });
}

/** The certificate is for the broker's name in the cluster. */
const secured = (socket: Socket, host: string, tls: NonNullable<KafkaClientOptions['tls']>): TLSSocket => {
  const tlsSocket = connectTls({ ...tls, socket, host, ...serverNameOf(host) });
  socket.once('error', (error) => tlsSocket.destroy(error));
  return tlsSocket;
};

const saslOf = ({ mechanism, ...user }: KafkaSasl): kafkajs.SASLOptions =>
  mechanism === 'PLAIN'
    ? { mechanism: 'plain', ...user }
    : { mechanism: mechanism === 'SCRAM-SHA-256' ? 'scram-sha-256' : 'scram-sha-512', ...user };

function tcp(host: string, port: number): Socket {
  const socket = connect({ host, port, noDelay: true, keepAlive: true, keepAliveInitialDelay: KEEP_ALIVE_MS });
  endWhenSilent(socket);
  return socket;
}

/** kafkajs would repeat requests until TCP times out, in minutes. */
function endWhenSilent(socket: Socket): void {
  let read = 0;
  let answered = 0;
  let pendingSince: number | undefined;
  const timer = setInterval(() => {
    if (socket.bytesRead > read || socket.bytesWritten === answered) {
      read = socket.bytesRead;
      answered = socket.bytesWritten;
      pendingSince = undefined;
    } else {
      pendingSince ??= performance.now();
      if (performance.now() - pendingSince > SILENCE_MS) socket.destroy(new Error(`no answer for ${SILENCE_MS} ms`));
    }
  }, CHECK_INTERVAL_MS).unref();
  socket.once('close', () => clearInterval(timer));
}

/** kafkajs drops a broker after a clean close, but reconnects after an error. */
function failWhenClosed(socket: Socket): Socket {
  const emit = socket.emit.bind(socket) as (event: string, ...args: unknown[]) => boolean;
  const emitOther = (event: string, ...args: unknown[]): boolean => {
    if (event !== 'end' || socket.writableEnded) return emit(event, ...args);
    socket.destroy(new Error('closed by the broker'));
    return true;
  };
  // kafkajs unrefs a closed socket at each retry, which would add a listener.
  socket.once('close', () => Object.assign(socket, { unref: () => socket }));
  return Object.assign(socket, { emit: emitOther });
}

export function withoutRepeats(warn: KafkaClientOptions['warn']): KafkaClientOptions['warn'] {
  const written = new Map<string, number>();
  return (text, cause) => {
    const now = performance.now();
    if (now - (written.get(text) ?? -Infinity) < QUIET_MS) return;
    if (written.size >= LINES_KEPT) written.clear();
    written.set(text, now);
    warn(text, cause);
  };
}
