import { connect, type Socket } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import '@tidings/patches/kafkajs';
import { serverNameOf } from '@tidings/runtime';
import kafkajs from 'kafkajs';

/** Credentials for Kafka. */
export interface KafkaSasl {
  readonly mechanism: 'PLAIN' | 'SCRAM-SHA-256' | 'SCRAM-SHA-512';
  readonly username: string;
  readonly password: string;
}

/** The address of Kafka, and the client's identity. */
export interface KafkaClientOptions {
  /** `host:port`, separated by commas; some of the cluster's brokers suffice. */
  readonly brokers: string;
  /** Name of this program in the brokers' logs and quotas. */
  readonly clientId: string;
  /** Prefix of topic and group names in Kafka, so that systems can share a cluster. @default none */
  readonly namespace?: string;
  /** PEM texts; absent ones are the system's. @default no TLS */
  readonly tls?: { readonly cert?: string; readonly key?: string; readonly ca?: string } | undefined;
  /** @default no authentication */
  readonly sasl?: KafkaSasl | undefined;
  /** Receives failures that are retried. */
  readonly warn: (text: string, cause: unknown) => void;
  /** Opens a connection. @default TCP */
  readonly openSocket?: (host: string, port: number) => Socket;
}

const BACK_OFF = { initialRetryTime: 100, maxRetryTime: 1_000, factor: 0.2, multiplier: 2 };
/** Retries of calls with a waiting caller: some 3 s. */
export const SHORT_RETRY = { ...BACK_OFF, retries: 5 };
/**
 * Retries of members of groups: some minutes. A member that returns with its old id after a restart of Kafka continues at once; a new one would wait
 * until the old session has expired.
 */
export const LONG_RETRY = { ...BACK_OFF, retries: 200 };
const CONNECTION_TIMEOUT_MS = 3_000;
/** Time limit of requests that the broker answers at once. */
export const REQUEST_TIMEOUT_MS = 10_000;
const KEEP_ALIVE_MS = 30_000;
/** Longer than a member waits for the others in a rebalance. */
const SILENCE_MS = 20_000;
const LOOK_EVERY_MS = 1_000;
/** An outage would fill the log: equal lines are written once in this time. */
const QUIET_MS = 30_000;
const LINES_KEPT = 100;

/**
 * A separate client: members of one group must not share one, since it stores the group's offsets once for all of its consumers.
 * @param signal aborts its connection attempts
 */
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
        // Brokers' error answers are exceptions too, and many of them are ordinary.
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

/** TLS over a connection. The certificate is for the broker's name in the cluster. */
const secured = (socket: Socket, host: string, tls: NonNullable<KafkaClientOptions['tls']>): TLSSocket => {
  const over = connectTls({ ...tls, socket, host, ...serverNameOf(host) });
  // The end of the connection ends TLS.
  socket.once('error', (error) => over.destroy(error));
  return over;
};

const saslOf = ({ mechanism, ...user }: KafkaSasl): kafkajs.SASLOptions =>
  mechanism === 'PLAIN'
    ? { mechanism: 'plain', ...user }
    : { mechanism: mechanism === 'SCRAM-SHA-256' ? 'scram-sha-256' : 'scram-sha-512', ...user };

/** TCP without Nagle's algorithm: a request is written at once. */
function tcp(host: string, port: number): Socket {
  const socket = connect({ host, port, noDelay: true, keepAlive: true, keepAliveInitialDelay: KEEP_ALIVE_MS });
  endWhenSilent(socket);
  return socket;
}

/** A broker's machine can vanish silently. kafkajs would repeat its requests on the dead connection until TCP times out, in minutes. */
function endWhenSilent(socket: Socket): void {
  let read = 0;
  let answered = 0;
  let askedAt: number | undefined;
  const timer = setInterval(() => {
    if (socket.bytesRead > read || socket.bytesWritten === answered) {
      read = socket.bytesRead;
      answered = socket.bytesWritten;
      askedAt = undefined;
    } else {
      askedAt ??= performance.now();
      if (performance.now() - askedAt > SILENCE_MS) socket.destroy(new Error(`no answer for ${SILENCE_MS} ms`));
    }
  }, LOOK_EVERY_MS).unref();
  socket.once('close', () => clearInterval(timer));
}

/**
 * Kafkajs drops a broker that closes a connection cleanly, and ends a consumer without other brokers. After an error it reconnects. While a broker is
 * dead, each retry ends its former connections again: `unref` of a closed socket would add a listener each time.
 */
function failWhenClosed(socket: Socket): Socket {
  const emit = socket.emit.bind(socket) as (event: string, ...args: unknown[]) => boolean;
  const emitOther = (event: string, ...args: unknown[]): boolean => {
    if (event !== 'end' || socket.writableEnded) return emit(event, ...args);
    socket.destroy(new Error('closed by the broker'));
    return true;
  };
  socket.once('close', () => Object.assign(socket, { unref: () => socket }));
  return Object.assign(socket, { emit: emitOther });
}

/** The same without lines that were written recently. */
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
