import { setTimeout as delay } from 'node:timers/promises';
import { Fault } from '@tidings/kernel';
import kafkajs, { type Admin } from 'kafkajs';
import type { GroupLag } from '../broker-port.ts';
import { faultOf } from './kafka-faults.ts';
import type { Names } from './names.ts';

export interface Bounds {
  readonly low: number;
  readonly high: number;
}

const LOOKUP_TIMEOUT_MS = 3_000;
const RETRY_DELAY_MS = 200;

const NON_EMPTY_GROUP = 68;
const GROUP_ID_NOT_FOUND = 69;

export type Committed = ReadonlyMap<string, readonly (number | undefined)[]>;

/** kafkajs commits it after an unread trim: continue at the earliest record. */
const TRIMMED = -2;

export class Lookups {
  readonly #admin: Admin;
  readonly #names: Names;
  readonly committed = shared((group) => this.#committed(group));
  readonly bounds = shared((topic) => this.#bounds(topic));

  constructor(admin: Admin, names: Names) {
    this.#admin = admin;
    this.#names = names;
  }

  async lag(group: string, declared: Iterable<string>, read: ReadonlySet<string>): Promise<GroupLag[]> {
    const committed = await this.committed(group);
    const topics = [...declared].filter((topic) => read.has(topic) || committed.has(topic));
    // After the offsets: an end that was read before could be below them.
    const bounds = await Promise.all(topics.map((topic) => this.bounds(topic)));
    return topics.flatMap((topic, i) =>
      (bounds[i] as readonly Bounds[]).map(({ low, high }, partition) => {
        const offset = committed.get(topic)?.[partition] ?? TRIMMED;
        return { topic, partition, committed: Math.max(offset, low), end: high };
      }),
    );
  }

  /**
   * Each broker lists the groups that it coordinates. @throws Fault `unavailable` until Kafka notices a dead one
   */
  async groups(): Promise<string[]> {
    const { groups } = await answerTo(() => this.#admin.listGroups());
    return groups.flatMap(({ groupId }) => this.#names.in(groupId) ?? []);
  }

  async isIdle(group: string): Promise<boolean> {
    const { groups } = await answerTo(() => this.#admin.describeGroups([this.#names.out(group)]));
    return groups.every(({ state }) => state === 'Empty' || state === 'Dead');
  }

  async removeGroup(group: string): Promise<void> {
    await answerTo(async () => {
      try {
        await this.#admin.deleteGroups([this.#names.out(group)]);
      } catch (error) {
        const code = error instanceof kafkajs.KafkaJSDeleteGroupsError ? error.groups[0]?.errorCode : undefined;
        if (code === NON_EMPTY_GROUP) throw Fault.conflict(`Group ${group} has members`);
        if (code !== GROUP_ID_NOT_FOUND) throw error;
      }
    });
  }

  async #committed(group: string): Promise<Committed> {
    const found = await answerTo(() => this.#admin.fetchOffsets({ groupId: this.#names.out(group) }));
    const committed = new Map<string, number[]>();
    for (const { topic, partitions } of found) {
      const name = this.#names.in(topic);
      if (name === undefined) continue;
      const offsets: number[] = [];
      for (const { partition, offset } of partitions) offsets[partition] = Number(offset);
      committed.set(name, offsets);
    }
    return committed;
  }

  async #bounds(topic: string): Promise<readonly Bounds[]> {
    const found = await answerTo(() => this.#admin.fetchTopicOffsets(this.#names.out(topic)));
    const bounds: Bounds[] = [];
    for (const { partition, low, high } of found) bounds[partition] = { low: Number(low), high: Number(high) };
    return bounds;
  }
}

/** A restarted broker finds its groups before it answers for them. */
async function answerTo<T>(question: () => Promise<T>): Promise<T> {
  const giveUpAt = performance.now() + LOOKUP_TIMEOUT_MS;
  for (;;) {
    try {
      return await question();
    } catch (error) {
      const fault = faultOf(error);
      if (fault.kind !== 'unavailable' || performance.now() > giveUpAt) throw fault;
      await delay(RETRY_DELAY_MS);
    }
  }
}

/** Callers during a query share the next one: the running query may miss their changes. */
function shared<T>(query: (about: string) => Promise<T>): (about: string) => Promise<T> {
  const running = new Map<string, Promise<T>>();
  const next = new Map<string, Promise<T>>();
  const begin = async (about: string): Promise<T> => {
    next.delete(about);
    const answer = query(about);
    running.set(about, answer);
    try {
      return await answer;
    } finally {
      if (running.get(about) === answer) running.delete(about);
    }
  };
  return (about) => {
    const before = running.get(about);
    if (!before) return begin(about);
    let answer = next.get(about);
    if (!answer) next.set(about, (answer = before.then(undefined, () => undefined).then(() => begin(about))));
    return answer;
  };
}
