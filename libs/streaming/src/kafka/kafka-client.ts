import { connect, isIP, type Socket } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import kafkajs from 'kafkajs';
import './kafka-connection.ts';
import './fetching.ts';
import './request-queue.ts';

/** A user of Kafka. */
export interface KafkaSasl {
  readonly mechanism: 'PLAIN' | 'SCRAM-SHA-256' | 'SCRAM-SHA-512';
  readonly username: string;
  readonly password: string;
}

/** Where Kafka is, and what this program calls itself there. */
export interface KafkaClientOptions {
  /** `host:port`, several parted by commas; some of the cluster's brokers are enough. */
  readonly brokers: string;
  /** What this program calls itself in the brokers' logs and quotas. */
  readonly clientId: string;
  /** What the names of topics and groups begin with in Kafka, so that several systems can share a cluster. @default nothing */
  readonly namespace?: string;
  /** PEM texts; those that are absent are the system's. @default no TLS */
  readonly tls?: { readonly cert?: string; readonly key?: string; readonly ca?: string } | undefined;
  /** @default no authentication */
  readonly sasl?: KafkaSasl | undefined;
  /** Told of what failed and is tried again. */
  readonly warn: (text: string, cause: unknown) => void;
  /** Opens a connection. @default TCP */
  readonly openSocket?: (host: string, port: number) => Socket;
}

const BACK_OFF = { initialRetryTime: 100, maxRetryTime: 1_000, factor: 0.2, multiplier: 2 };
/** For what somebody waits for: some 3 s. */
export const SHORT_RETRY = { ...BACK_OFF, retries: 5 };
/**
 * For members of groups: some minutes. One that comes back after a restart of Kafka under its old id goes on at once; a new one would have to
 * wait until the session of its former self is over.
 */
export const LONG_RETRY = { ...BACK_OFF, retries: 200 };
const CONNECTION_TIMEOUT_MS = 3_000;
/** For requests that nobody waits with at the broker: without an answer after so long there will be none. */
export const REQUEST_TIMEOUT_MS = 10_000;
const KEEP_ALIVE_MS = 30_000;
/** Longer than a member waits for the others when a group is dealt out. */
const SILENCE_MS = 20_000;
const LOOK_EVERY_MS = 1_000;
/** An outage would fill the log: the same line is written once in so long. */
const QUIET_MS = 30_000;
const LINES_KEPT = 100;

/**
 * A client of its own: members of one group must not share one, since it keeps the group's offsets in one place for all of its consumers.
 * @param signal ends its attempts to connect.
 */
export function newClient(
  { brokers, clientId, warn, tls, sasl, openSocket = tcp }: KafkaClientOptions,
  { retry = SHORT_RETRY, signal }: { readonly retry?: kafkajs.RetryOptions; readonly signal?: AbortSignal } = {},
): kafkajs.Kafka {
  return new kafkajs.Kafka({
    // Without brokers kafkajs gives up trying to connect.
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
        // What a broker answers comes back as an exception too, and many such answers are ordinary.
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

/** TLS over a connection. The certificate is that of the broker's name, as the cluster tells it. */
const secured = (socket: Socket, host: string, tls: NonNullable<KafkaClientOptions['tls']>): TLSSocket => {
  const over = connectTls({ ...tls, socket, host, ...(isIP(host) === 0 && { servername: host }) });
  // What ends the connection ends what lies over it.
  socket.once('error', (error) => over.destroy(error));
  return over;
};

const saslOf = ({ mechanism, ...user }: KafkaSasl): kafkajs.SASLOptions =>
  mechanism === 'PLAIN'
    ? { mechanism: 'plain', ...user }
    : { mechanism: mechanism === 'SCRAM-SHA-256' ? 'scram-sha-256' : 'scram-sha-512', ...user };

/** A request is one piece: it does not wait for more to be written. */
function tcp(host: string, port: number): Socket {
  const socket = connect({ host, port, noDelay: true, keepAlive: true, keepAliveInitialDelay: KEEP_ALIVE_MS });
  endWhenSilent(socket);
  return socket;
}

/** A broker's machine can vanish without a word. kafkajs would repeat its requests on the dead connection until TCP gives it up, in minutes. */
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

/** kafkajs forgets a broker that closes a connection in good order, and ends a consumer that knew no other. After an error it comes back. */
function failWhenClosed(socket: Socket): Socket {
  const emit = socket.emit.bind(socket) as (event: string, ...args: unknown[]) => boolean;
  const emitOther = (event: string, ...args: unknown[]): boolean => {
    if (event !== 'end' || socket.writableEnded) return emit(event, ...args);
    socket.destroy(new Error('closed by the broker'));
    return true;
  };
  return Object.assign(socket, { emit: emitOther });
}

/** The same without lines that were written a moment ago. */
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
