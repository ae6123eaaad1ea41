import { connect, Socket } from 'node:net';
import { randomBase62, ShiftedClock } from '@tidings/kernel';
import type { BrokerWorld } from '../../features/broker-under-test.ts';
import type { Broker, TopicSpec } from '../../broker-port.ts';
import { openKafkaBroker } from '../kafka-broker.ts';
import { type CopiesOptions, createTopics } from '../create-topics.ts';

class Line {
  readonly #sockets = new Set<Socket>();
  #isCut = false;

  open(host: string, port: number): Socket {
    const socket = connect({ host, port, noDelay: true });
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
    if (this.#isCut) socket.destroy(new Error('cut off'));
    return socket;
  }

  tear(): void {
    for (const socket of this.#sockets) {
      const emit = socket.emit.bind(socket) as (event: string, ...args: unknown[]) => boolean;
      const emitOther = (event: string, ...args: unknown[]): boolean => {
        if (event !== 'data' || socket.destroyed) return emit(event, ...args);
        emit('data', (args[0] as Buffer).subarray(0, -1));
        socket.destroy(new Error('torn'));
        return true;
      };
      Object.assign(socket, { emit: emitOther });
    }
  }

  cut(): void {
    this.#isCut = true;
    for (const socket of this.#sockets) socket.destroy(new Error('cut off'));
  }
}

export class KafkaWorld implements BrokerWorld {
  readonly clock = new ShiftedClock();
  readonly warnings: string[] = [];
  readonly kafka: Omit<Parameters<typeof createTopics>[0], 'topics' | 'replicationFactor'> & {
    readonly namespace: string;
  };
  readonly #copies: CopiesOptions;
  readonly #lines = new Map<Broker, Line>();
  /** Connections to these ports neither fail nor open. */
  readonly vanished = new Set<number>();

  constructor(
    { brokers, namespace }: { readonly brokers: string; readonly namespace: string },
    copies: CopiesOptions = { replicationFactor: 1 },
  ) {
    this.#copies = copies;
    this.kafka = {
      brokers,
      namespace: `${namespace}${randomBase62(8)}.`,
      clientId: 'spec',
      warn: (text) => this.warnings.push(text),
    };
  }

  async open(topics: readonly TopicSpec[]): Promise<Broker> {
    await createTopics({ ...this.kafka, topics, ...this.#copies });
    const line = new Line();
    const openSocket = (host: string, port: number): Socket =>
      this.vanished.has(port) ? new Socket() : line.open(host, port);
    const broker = await openKafkaBroker({ ...this.kafka, topics, clock: this.clock, openSocket });
    this.#lines.set(broker, line);
    return broker;
  }

  async crash(broker: Broker): Promise<void> {
    this.#lines.get(broker)?.cut();
  }

  tear(broker: Broker): void {
    this.#lines.get(broker)?.tear();
  }

  async maintain(): Promise<void> {}

  async dispose(): Promise<void> {}
}
