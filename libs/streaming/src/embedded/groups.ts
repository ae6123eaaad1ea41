import { Fault } from '@tidings/kernel';
import { refuseOtherTopics } from '../group-topics.ts';
import type { Offsets, StoredOffset } from '../offsets.ts';
import type { GroupLag, SubscribeOptions, Subscription } from '../broker-port.ts';
import { Cursor, type CursorDeps, type Member } from './cursor.ts';
import type { PartitionLog } from './partition-log.ts';

const MAX_RECORDS = 500;

interface Subscriber extends Member {
  readonly topics: ReadonlySet<string>;
}

interface Group {
  readonly ephemeral: boolean;
  readonly members: Set<Subscriber>;
  readonly cursors: Map<string, Map<number, Cursor>>;
}

export type Topics = ReadonlyMap<string, readonly PartitionLog[]>;

export function logsOf(topics: Topics, topic: string): readonly PartitionLog[] {
  const logs = topics.get(topic);
  if (!logs) throw Fault.bug(`there is no topic ${topic}`);
  return logs;
}

const notStored = { changed: () => undefined };

interface GroupsDeps extends CursorDeps {
  readonly offsets: Offsets;
}

export class Groups {
  readonly #topics: Topics;
  readonly #deps: GroupsDeps;
  readonly #groups = new Map<string, Group>();
  #ended = false;

  constructor(topics: Topics, stored: readonly StoredOffset[], deps: GroupsDeps) {
    this.#topics = topics;
    this.#deps = deps;
    for (const { group, topic, partition, offset } of stored) {
      const log = topics.get(topic)?.[partition];
      if (log) this.#addCursor(group, log, offset);
    }
  }

  names(): string[] {
    return [...this.#groups.keys()];
  }

  lag(name: string): GroupLag[] {
    const cursors = [...(this.#groups.get(name)?.cursors.values() ?? [])];
    return cursors
      .flatMap((ofTopic) => [...ofTopic.values()])
      .map(({ log: { topic, partition, end }, position }) => ({
        topic,
        partition,
        committed: Math.min(position, end),
        end,
      }));
  }

  committedByAll({ topic, partition }: PartitionLog): number | undefined {
    let lowest: number | undefined;
    for (const { cursors, ephemeral } of this.#groups.values()) {
      if (ephemeral) continue;
      const position = cursors.get(topic)?.get(partition)?.position;
      if (position !== undefined && position < (lowest ?? Infinity)) lowest = position;
    }
    return lowest;
  }

  async subscribe(options: SubscribeOptions): Promise<Subscription> {
    const { group: name, topics, handler, maxRecords = MAX_RECORDS, from = 'earliest', lingerMs = 0 } = options;
    this.#group(name, options.ephemeral);
    refuseOtherTopics(options, this.#groups.get(name)?.members);
    for (const topic of topics) {
      for (const log of logsOf(this.#topics, topic)) {
        if (!this.#cursor(name, log)) {
          const cursor = this.#addCursor(name, log, from === 'earliest' ? log.start : log.end);
          if (!options.ephemeral) this.#deps.offsets.changed(cursor);
        }
      }
    }
    // A group that starts at the latest record must not start later after a crash.
    await this.#deps.offsets.flushed();
    if (this.#ended) throw Fault.unavailable('The log was closed meanwhile');
    const group = this.#group(name);
    refuseOtherTopics(options, group.members);
    const member: Subscriber = {
      handler,
      maxRecords,
      lingerMs,
      topics: new Set(topics),
      active: 0,
      whenIdle: [],
    };
    group.members.add(member);
    share(group);
    return { stop: () => this.#stop(name, group, member) };
  }

  async seek(name: string, log: PartitionLog, offset: number): Promise<void> {
    const cursor = this.#cursor(name, log) ?? this.#addCursor(name, log, offset);
    cursor.seek(offset);
    await this.#deps.offsets.flushed();
  }

  async forget(name: string): Promise<void> {
    const group = this.#groups.get(name);
    if (!group) return;
    if (group.members.size > 0) throw Fault.conflict(`Group ${name} has members`);
    await this.#deps.offsets.flushed();
    this.#groups.delete(name);
    const cursors = [...group.cursors.values()].flatMap((ofTopic) => [...ofTopic.values()]);
    await this.#deps.store.removeOffsets(cursors.map((cursor) => cursor.toStored()));
  }

  halt(): void {
    this.#ended = true;
    for (const group of this.#groups.values()) {
      group.members.clear();
      share(group);
    }
  }

  async close(): Promise<void> {
    this.#ended = true;
    const stops = [...this.#groups].flatMap(([name, group]) =>
      [...group.members].map((member) => this.#stop(name, group, member)),
    );
    await Promise.all(stops);
  }

  async #stop(name: string, group: Group, member: Subscriber): Promise<void> {
    group.members.delete(member);
    share(group);
    if (member.active > 0) await new Promise<void>((resolve) => member.whenIdle.push(resolve));
    if (group.ephemeral && group.members.size === 0) this.#groups.delete(name);
    else await this.#deps.offsets.flushed();
  }

  #group(name: string, ephemeral = false): Group {
    let group = this.#groups.get(name);
    if (!group) {
      group = { ephemeral, members: new Set(), cursors: new Map() };
      this.#groups.set(name, group);
    }
    return group;
  }

  #cursor(name: string, { topic, partition }: PartitionLog): Cursor | undefined {
    return this.#groups.get(name)?.cursors.get(topic)?.get(partition);
  }

  #addCursor(name: string, log: PartitionLog, offset: number): Cursor {
    const { cursors, ephemeral } = this.#group(name);
    const ofTopic = cursors.get(log.topic) ?? new Map<number, Cursor>();
    cursors.set(log.topic, ofTopic);
    const cursor = new Cursor(name, log, offset, ephemeral ? { ...this.#deps, offsets: notStored } : this.#deps);
    ofTopic.set(log.partition, cursor);
    return cursor;
  }
}

function share(group: Group): void {
  const members = [...group.members];
  let assigned = 0;
  for (const [topic, ofTopic] of group.cursors) {
    const isSubscribed = members[0]?.topics.has(topic);
    for (const cursor of ofTopic.values())
      cursor.assign(isSubscribed ? members[assigned++ % members.length] : undefined);
  }
}
