import { type ChunkKey, chunkRecordKey } from '@tidings/delivery';
import type { LogWriter } from '@tidings/event-store';
import { FanoutTask, type MessageEvent, topicNames } from '@tidings/events';
import { chunkOf, type Clock } from '@tidings/kernel';
import { namedIn } from '@tidings/messaging';
import type { DeviceScan } from '@tidings/registry-store';
import type { Broker, Position } from '@tidings/streaming';
import { currentTrace, inSpan, type Trace } from '@tidings/telemetry';
import type { OutgoingMessages } from './outgoing.ts';
import {
  laneOf,
  NAMED_AT_ONCE,
  onlyChunkOf,
  SCANNED_AT_ONCE,
  type Outgoing,
  type Released,
} from './outgoing-message.ts';
import { fanoutLogOf, type PlanFanout } from './fanouts.ts';

export interface ReleaseDeps {
  readonly clock: Clock;
  readonly broker: Broker;
  readonly scan: DeviceScan;
  readonly outgoing: OutgoingMessages;
  readonly fanouts: LogWriter<PlanFanout, readonly number[]>;
  readonly plan: (message: Released, key: ChunkKey, options: PlanOptions) => Promise<void>;
}

export interface PlanOptions {
  readonly isOnly: boolean;
  readonly ready: Promise<unknown>;
}

interface Split {
  readonly chunks: readonly number[];
  readonly isOnly: boolean;
}

export interface Task {
  readonly of: Outgoing;
  readonly key: ChunkKey;
}

export const taskTopicOf = (message: Outgoing): string =>
  laneOf(message) === 'direct' ? topicNames.fanoutDirect : topicNames.fanout;

export async function publishTasks(broker: Broker, tasks: readonly Task[]): Promise<ReadonlyMap<Task, Position>> {
  const byTopic = Map.groupBy(tasks, ({ of }) => taskTopicOf(of));
  const published = [...byTopic].map(async ([topic, topicTasks]) => {
    const records = topicTasks.map(({ of, key }) => ({
      key: chunkRecordKey(key),
      value: FanoutTask.encode({ ...key, account: of.account, outcomesAgain: false }).finish(),
    }));
    const positions = await broker.publish(topic, records);
    return topicTasks.map((task, i) => [task, positions[i]!] as const);
  });
  return new Map((await Promise.all(published)).flat());
}

export class Releases {
  readonly #deps: ReleaseDeps;

  constructor(deps: ReleaseDeps) {
    this.#deps = deps;
  }

  /** An expired message is not released: its plans may have been removed. */
  async handle(events: readonly MessageEvent[], traces: ReadonlyMap<string, Trace>): Promise<void> {
    const { clock, outgoing } = this.#deps;
    const storing = outgoing.store(events);
    // A failure is reported below, and may come before it is awaited.
    storing.catch(() => undefined);
    const found = await outgoing.released(events);
    const released = found.filter(({ expireAt }) => expireAt.getTime() > clock.now());
    const releasing = released.map((message) =>
      inSpan('release message', { of: [traces.get(message.message), currentTrace()] }, () =>
        this.release(message, storing),
      ),
    );
    await Promise.all([storing, ...releasing]);
  }

  async release(message: Released, stored: Promise<void> = Promise.resolve()): Promise<void> {
    await Promise.all(message.accepted.applications.map((application) => this.#release(message, application, stored)));
  }

  async #release(message: Released, application: string, stored: Promise<void>): Promise<void> {
    const { broker, plan } = this.#deps;
    const target = message.accepted.audience?.target;
    const keys = (of: readonly number[]): ChunkKey[] =>
      of.map((chunk) => ({ message: message.message, bucket: message.bucket, application, chunk }));
    const { chunks, isOnly } = await this.#split(message, application);
    if (isOnly) {
      await Promise.all([stored, ...keys(chunks).map((key) => plan(message, key, { isOnly, ready: stored }))]);
      return;
    }
    const fanout = this.#planFanout(message, application, chunks);
    if (target?.$case === 'named' && namedIn(target.value, application).length <= NAMED_AT_ONCE) {
      // The recipients determine the chunks, so plans need not wait for the split.
      const ready = Promise.all([fanout, stored]);
      await Promise.all([ready, ...keys(chunks).map((key) => plan(message, key, { isOnly, ready }))]);
      return;
    }
    const [planned] = await Promise.all([fanout, stored]);
    await publishTasks(
      broker,
      keys(planned).map((key) => ({ of: message, key })),
    );
  }

  async #split(message: Released, application: string): Promise<Split> {
    const only = onlyChunkOf(message);
    if (only !== undefined) return { chunks: [only], isOnly: true };
    const target = message.accepted.audience?.target;
    switch (target?.$case) {
      case 'named': {
        const chunks = new Set(namedIn(target.value, application).map(chunkOf));
        return { chunks: [...chunks].sort((a, b) => a - b), isOnly: false };
      }
      case 'selection': {
        const { activity } = target.value;
        if (activity !== '') return { chunks: await this.#deps.scan.chunksWith(application, activity), isOnly: false };
        const last = await this.#deps.scan.lastSeq(application);
        const chunks = Array.from({ length: last < 0 ? 0 : chunkOf(last) + 1 }, (_, chunk) => chunk);
        return { chunks, isOnly: last >= 0 && last < SCANNED_AT_ONCE };
      }
      case undefined:
        return { chunks: [], isOnly: false };
    }
  }

  #planFanout(message: Released, application: string, chunks: readonly number[]): Promise<readonly number[]> {
    return this.#deps.fanouts.submit(fanoutLogOf(message.message), {
      of: message,
      key: { message: message.message, bucket: message.bucket, application },
      chunks,
      at: new Date(this.#deps.clock.now()),
    });
  }
}
