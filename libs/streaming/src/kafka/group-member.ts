import { setTimeout as delay } from 'node:timers/promises';
import { Fault } from '@tidings/kernel';
import type { Batch, Consumer, ConsumerGroupJoinEvent, EachBatchPayload, Kafka } from 'kafkajs';
import { Offsets, type OffsetStore, type StoredOffset } from '../offsets.ts';
import type { SubscribeOptions } from '../broker-port.ts';
import { consumerSettings } from './consumer-settings.ts';
import type { Lookups } from './lookups.ts';
import { type Names, partitionKey } from './names.ts';
import { PartitionQueue } from './partition-queue.ts';
import { recordOf } from './records.ts';
import { withTimeout } from './with-timeout.ts';

const MAX_RECORDS = 500;
const SIDE_BY_SIDE = 32;
const ROOM_WAIT_MS = 100;
const BEGIN_WAIT_MS = 1_000;
const COMMIT_SPACING_MS = 50;
const BACK_OFF_MS = { first: 100, most: 5_000 };
const LEAVE_MS = 5_000;
const ABANDON_MS = 2_000;

export interface MemberDeps {
  readonly newClient: (signal: AbortSignal) => Kafka;
  readonly lookups: Lookups;
  readonly names: Names;
  readonly warn: (text: string, cause: unknown) => void;
}

interface PartitionId {
  readonly topic: string;
  readonly partition: number;
}

interface Start extends PartitionId {
  readonly position: number;
  readonly isNew: boolean;
}

/** This class, not kafkajs, decides where to fetch and what to commit. */
export class Member implements OffsetStore {
  readonly group: string;
  readonly topics: ReadonlySet<string>;
  readonly #options: SubscribeOptions;
  readonly #deps: MemberDeps;
  readonly #offsets: Offsets;
  readonly #queues = new Map<string, PartitionQueue>();
  readonly #missed = new Set<string>();
  readonly #leaving = new Map<string, Promise<void>>();
  readonly #joined = Promise.withResolvers<void>();
  readonly #stopping = new AbortController();
  readonly #abandoned = new AbortController();
  #consumer: Consumer | undefined;
  #memberId: string | undefined;
  #starting: Promise<void> | undefined;
  #started: Promise<void> | undefined;
  #generation = 0;
  #failures = 0;
  #stopped: Promise<void> | undefined;

  constructor(options: SubscribeOptions, deps: MemberDeps) {
    this.group = options.group;
    this.topics = new Set(options.topics);
    this.#options = options;
    this.#deps = deps;
    const warn = (text: string, cause: unknown): void => deps.warn(`group ${options.group}: ${text}`, cause);
    this.#offsets = new Offsets(this, { warn, spacingMs: COMMIT_SPACING_MS });
    this.#joined.promise.catch(() => undefined);
    void this.#run();
  }

  joined(): Promise<void> {
    return this.#joined.promise;
  }

  queueOf({ topic, partition }: PartitionId): PartitionQueue | undefined {
    return this.#queues.get(partitionKey(topic, partition));
  }

  async seek(queue: PartitionQueue, offset: number): Promise<void> {
    queue.seek(offset);
    this.#fetchFrom(queue);
    await this.#offsets.flushed();
  }

  stop(): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  async saveOffsets(offsets: readonly StoredOffset[]): Promise<void> {
    const current = offsets.flatMap((stored) => this.queueOf(stored)?.toStored() ?? []);
    if (current.length === 0) return;
    if (!this.#consumer) throw Fault.unavailable('There is no consumer now');
    await this.#consumer.commitOffsets(
      current.map(({ topic, partition, offset }) => ({
        topic: this.#deps.names.out(topic),
        partition,
        offset: String(offset),
      })),
    );
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      const consumer = this.#open();
      const error = await this.#consume(consumer);
      if (signal.aborted) return;
      this.#disconnected(error);
      await withTimeout(LEAVE_MS, consumer.disconnect());
      const waitMs = Math.min(BACK_OFF_MS.most, BACK_OFF_MS.first * 2 ** this.#failures++);
      await delay(waitMs, undefined, { signal }).catch(() => undefined);
    }
  }

  #disconnected(error: unknown): void {
    this.#consumer = undefined;
    this.#generation++;
    for (const key of this.#queues.keys()) this.#retire(key);
    this.#deps.warn(`reading for group ${this.group} failed`, error);
  }

  #open(): Consumer {
    const { newClient, names } = this.#deps;
    const consumer = newClient(this.#abandoned.signal).consumer({
      groupId: names.out(this.group),
      ...consumerSettings,
    });
    consumer.on('consumer.group_join', ({ payload }) => this.#join(consumer, payload));
    consumer.on('consumer.rebalancing', () => this.#eachQueue(consumer, (queue) => queue.pause()));
    // kafkajs does not report a cancelled rebalance.
    consumer.on('consumer.heartbeat', () => this.#eachQueue(consumer, (queue) => queue.release()));
    this.#consumer = consumer;
    return consumer;
  }

  #eachQueue(consumer: Consumer, work: (queue: PartitionQueue) => void): void {
    if (consumer === this.#consumer) for (const queue of this.#queues.values()) work(queue);
  }

  async #consume(consumer: Consumer): Promise<unknown> {
    const crashed = Promise.withResolvers<unknown>();
    consumer.on('consumer.crash', ({ payload: { error } }) => crashed.resolve(error));
    this.#starting = this.#start(consumer);
    try {
      await this.#starting;
    } catch (error) {
      return error;
    }
    return crashed.promise;
  }

  async #start(consumer: Consumer): Promise<void> {
    await consumer.connect();
    const topics = [...this.topics].map((topic) => this.#deps.names.out(topic));
    await consumer.subscribe({ topics, fromBeginning: true });
    await consumer.run({
      autoCommit: false,
      partitionsConsumedConcurrently: SIDE_BY_SIDE,
      eachBatch: (payload) => this.#take(consumer, payload),
    });
  }

  /** A member that returns with the same id has missed nothing: it keeps its queues. */
  #join(consumer: Consumer, { memberId, memberAssignment }: ConsumerGroupJoinEvent['payload']): void {
    if (consumer !== this.#consumer) {
      // Deferred: the consumer does not know yet that it has joined.
      setImmediate(() => void consumer.disconnect().catch(() => undefined));
      return;
    }
    this.#failures = 0;
    this.#generation++;
    const assigned = new Map<string, PartitionId>();
    for (const [name, partitions] of Object.entries(memberAssignment)) {
      const topic = this.#deps.names.in(name) as string;
      for (const partition of partitions) assigned.set(partitionKey(topic, partition), { topic, partition });
    }
    for (const [key, queue] of this.#queues) {
      if (memberId === this.#memberId && assigned.delete(key)) {
        this.#fetchFrom(queue);
        queue.release();
      } else {
        this.#retire(key);
      }
    }
    this.#memberId = memberId;
    if (!this.#stopping.signal.aborted) this.#started = this.#begin([...assigned.values()]);
  }

  #retire(key: string): void {
    const queue = this.#queues.get(key) as PartitionQueue;
    this.#queues.delete(key);
    const retiring = queue.retire().finally(() => {
      if (this.#leaving.get(key) === retiring) this.#leaving.delete(key);
    });
    this.#leaving.set(key, retiring);
  }

  async #begin(assigned: readonly PartitionId[]): Promise<void> {
    const generation = this.#generation;
    const isOver = (): boolean => generation !== this.#generation || this.#stopping.signal.aborted;
    for (let failures = 0; ; failures++) {
      try {
        const starts = await this.#startsOf(assigned);
        if (isOver()) return;
        for (const start of starts) this.#beginAt(start);
        this.#joined.resolve();
        return;
      } catch (error) {
        this.#deps.warn(`asking for the offsets of group ${this.group} failed`, error);
        await delay(Math.min(BACK_OFF_MS.most, BACK_OFF_MS.first * 2 ** failures));
        if (isOver()) return;
      }
    }
  }

  async #startsOf(assigned: readonly PartitionId[]): Promise<Start[]> {
    const { lookups } = this.#deps;
    const committed = await lookups.committed(this.group);
    return Promise.all(
      assigned.map(async ({ topic, partition }) => {
        const bounds = (await lookups.bounds(topic))[partition];
        if (!bounds) throw Fault.unavailable(`Kafka does not know ${topic}/${partition}`);
        const { low, high } = bounds;
        const offset = committed.get(topic)?.[partition];
        const isUsable = offset !== undefined && offset >= low && offset <= high;
        if (offset !== undefined && !isUsable) this.#warnOfLoss({ topic, partition }, { offset, low, high });
        const first = offset === undefined && this.#options.from === 'latest' ? high : low;
        return { topic, partition, position: isUsable ? offset : first, isNew: !isUsable };
      }),
    );
  }

  #beginAt({ topic, partition, position, isNew }: Start): void {
    const { handler, maxRecords = MAX_RECORDS, lingerMs = 0 } = this.#options;
    const key = partitionKey(topic, partition);
    const queue = new PartitionQueue({
      group: this.group,
      topic,
      partition,
      position,
      handler,
      maxRecords,
      lingerMs,
      before: this.#leaving.get(key),
      offsets: this.#offsets,
      warn: this.#deps.warn,
    });
    this.#queues.set(key, queue);
    // kafkajs itself begins other partitions at the group's offset.
    if (this.#missed.delete(key) || isNew) this.#fetchFrom(queue);
    if (isNew) this.#offsets.changed(queue);
  }

  #fetchFrom(queue: PartitionQueue): void {
    const { topic, partition } = queue.toStored();
    try {
      this.#consumer?.seek({ topic: this.#deps.names.out(topic), partition, offset: String(queue.next) });
    } catch {
      // The next consumer begins at the group's offset.
    }
  }

  async #take(consumer: Consumer, payload: EachBatchPayload): Promise<void> {
    const { batch } = payload;
    const { topic: name, partition, messages } = batch;
    const topic = this.#deps.names.in(name) as string;
    if (!this.queueOf({ topic, partition })) await withTimeout(BEGIN_WAIT_MS, this.#started);
    const queue = this.queueOf({ topic, partition });
    if (consumer !== this.#consumer || payload.isStale()) return;
    if (!queue) return void this.#missed.add(partitionKey(topic, partition));
    const records = messages.map((message) => recordOf(topic, partition, message));
    if (!queue.put(records, fetchedFrom(batch), Number(batch.lastOffset()) + 1)) await this.#fetchGap(queue);
    else if (queue.isFull) await this.#waitForRoom(consumer, queue, { topic: name, partitions: [partition] });
  }

  async #fetchGap(queue: PartitionQueue): Promise<void> {
    const { topic, partition } = queue.toStored();
    const { low = 0, high } = (await this.#deps.lookups.bounds(topic))[partition] ?? {};
    if (low > queue.next) {
      this.#warnOfLoss(queue.toStored(), { offset: queue.next, low, high });
      queue.skip(low);
    }
    this.#fetchFrom(queue);
  }

  #warnOfLoss({ topic, partition }: PartitionId, details: object): void {
    this.#deps.warn(`records of ${topic}/${partition} are gone that group ${this.group} has not read`, details);
  }

  async #waitForRoom(
    consumer: Consumer,
    queue: PartitionQueue,
    place: { topic: string; partitions: number[] },
  ): Promise<void> {
    let hasRoom = false;
    const room = queue.whenRoom().then(() => (hasRoom = true));
    await withTimeout(ROOM_WAIT_MS, room);
    if (hasRoom) return;
    consumer.pause([place]);
    void room.then(() => consumer.resume([place])).catch(() => undefined);
  }

  async #stop(): Promise<void> {
    this.#stopping.abort();
    this.#joined.reject(Fault.unavailable('The subscription was stopped'));
    await Promise.all([...[...this.#queues.values()].map((queue) => queue.stop()), ...this.#leaving.values()]);
    const leaving = this.#leave();
    await withTimeout(LEAVE_MS, leaving);
    this.#abandoned.abort();
    await withTimeout(ABANDON_MS, leaving);
  }

  async #leave(): Promise<void> {
    // The group would wait for a leaving joiner until its session expires.
    await this.#starting?.catch(() => undefined);
    await this.#offsets.flushed();
    this.#offsets.abandon();
    const consumer = this.#consumer;
    this.#consumer = undefined;
    await consumer?.disconnect();
  }
}

/** kafkajs returns this field but does not declare it. */
const fetchedFrom = (batch: Batch): number =>
  Number((batch as Batch & { readonly fetchedOffset: string }).fetchedOffset);
