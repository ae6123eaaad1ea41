import { createRequire } from 'node:module';
import kafkajs from 'kafkajs';

/** kafkajs' membership of one consumer, as far as it is touched here. */
interface ConsumerGroup {
  readonly groupId: string;
  /** The broker that leads the group. */
  coordinator: unknown;
  /** Commits through its own reference to the coordinator. */
  readonly offsetManager: { coordinator: unknown } | null;
  readonly cluster: {
    findGroupCoordinator(group: { readonly groupId: string }): Promise<unknown>;
    refreshMetadata(): Promise<void>;
  };
  heartbeat: (this: ConsumerGroup, options: unknown) => Promise<void>;
}

const groups = createRequire(import.meta.url)('kafkajs/src/consumer/consumerGroup') as {
  readonly prototype: ConsumerGroup;
};
const { heartbeat } = groups.prototype;

/**
 * Looks for the coordinator of the group anew when it does not answer. kafkajs 2.2.4 goes on to ask a dead broker: the consumer reads nothing until
 * all retries have failed, in minutes, although another broker coordinates the group after seconds. The member remains the same.
 */
groups.prototype.heartbeat = async function (options) {
  try {
    await heartbeat.call(this, options);
  } catch (error) {
    if (!(error instanceof kafkajs.KafkaJSProtocolError)) {
      // Asks living brokers only, and forgets those that Kafka has given up: the search asks any that is known.
      await this.cluster.refreshMetadata();
      this.coordinator = await this.cluster.findGroupCoordinator({ groupId: this.groupId });
      if (this.offsetManager) this.offsetManager.coordinator = this.coordinator;
    }
    throw error;
  }
};
