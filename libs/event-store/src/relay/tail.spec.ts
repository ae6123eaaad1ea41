import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Fault } from '@tidings/kernel';
import type { Commit } from '../event-log-port.ts';
import type { StoredCommit } from '../log-store.ts';
import { bytesOf } from '../mongo/commits.ts';
import { Outbox, type Publisher, type RelayedRecord } from './outbox.ts';
import { Tail } from './tail.ts';

const LOG = 'things-1';
const LARGE = 1_500_000;

const commit = (position: number, bytes = 10): StoredCommit => ({
  log: LOG,
  position,
  uid: `${position}`,
  at: new Date(0),
  events: [Buffer.alloc(bytes)],
});

const offered = (stored: StoredCommit): Commit<string> => ({ ...stored, events: ['event'], encoded: stored.events });

class Store {
  readonly commits: StoredCommit[] = [];
  readonly reads: number[] = [];
  whileReading: () => Promise<void> = () => Promise.resolve();

  async after(_log: string, position: number, limit: number, maxBytes = Infinity): Promise<readonly StoredCommit[]> {
    const found: StoredCommit[] = [];
    for (let bytes = 0; found.length < limit && bytes < maxBytes;) {
      const next = this.commits[position + found.length];
      if (!next) break;
      found.push(next);
      bytes += bytesOf(next);
    }
    this.reads.push(found.length);
    await this.whileReading();
    return found;
  }
}

class Published implements Publisher {
  readonly batches: number[][] = [];
  whilePublishing: () => Promise<void> = () => Promise.resolve();

  async publish(_topic: string, records: readonly Omit<RelayedRecord, 'topic'>[]): Promise<void> {
    await this.whilePublishing();
    this.batches.push(records.map(({ key }) => Number(key)));
  }
}

describe('the tail of a log', () => {
  let store: Store;
  let broker: Published;
  let tail: Tail<string>;
  let skipped: number[];

  beforeEach(() => {
    skipped = [];
    store = new Store();
    broker = new Published();
    tail = new Tail<string>(LOG, 0, {
      commits: store,
      outbox: new Outbox(broker, 0, () => undefined),
      counts: { commits: 0, records: 0, read: 0, skipped: 0 },
      skipped: { record: async (_log, position) => void skipped.push(position) },
      decode: () => 'event',
      isKnown: () => true,
      publish: ({ position, encoded }) => encoded.map((value) => ({ topic: 'things', key: `${position}`, value })),
      report: () => undefined,
      onBlocked: () => undefined,
      mayPublish: () => true,
      published: () => undefined,
    });
  });

  it('reads once for a poll that finds nothing', async () => {
    tail.poll();
    await tail.drained;
    expect(store.reads).toEqual([0]);
    expect(tail.unpublished).toBe(0);
  });

  it('publishes a commit that is offered during a poll', async () => {
    const [reading, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    store.whileReading = () => (reading.resolve(), release.promise);
    tail.poll();
    await reading.promise;
    store.commits.push(commit(1));
    tail.enqueue(offered(commit(1)));
    release.resolve();
    await tail.drained;
    expect(broker.batches).toEqual([[1]]);
  });

  it('sends and reads large commits a few at a time', async () => {
    for (let position = 1; position <= 8; position++) store.commits.push(commit(position, LARGE));
    tail.poll();
    await tail.drained;
    expect(broker.batches).toEqual([[1, 2], [3], [4, 5], [6], [7, 8]]);
    expect(store.reads).toEqual([3, 3, 2]);
  });

  it('sends a commit that exceeds the limit of a send', async () => {
    for (let position = 1; position <= 2; position++) store.commits.push(commit(position, 6 << 20));
    tail.poll();
    await tail.drained;
    expect(broker.batches).toEqual([[1], [2]]);
  });

  describe('with failures', () => {
    const REFUSAL = Fault.argument('refused');

    beforeEach(() => void jest.useFakeTimers());
    afterEach(() => void jest.useRealTimers());

    it('passes over a commit that was refused more often than five times', async () => {
      broker.whilePublishing = () => Promise.reject(REFUSAL);
      tail.enqueue(offered(commit(1)));
      await jest.advanceTimersByTimeAsync(60_000);
      expect(skipped).toEqual([1]);
    });

    it('counts no failed reads against a commit', async () => {
      let reads = 0;
      store.commits.push(commit(1));
      store.whileReading = () => (reads++ < 20 ? Promise.reject(new Error('not authorized')) : Promise.resolve());
      let refusals = 0;
      broker.whilePublishing = () => (refusals++ < 3 ? Promise.reject(REFUSAL) : Promise.resolve());
      tail.poll();
      await jest.advanceTimersByTimeAsync(60_000);
      expect(skipped).toEqual([]);
      expect(broker.batches).toEqual([[1]]);
    });
  });

  it('keeps a few large commits in memory during an outage of the broker, and reads the others later', async () => {
    const release = Promise.withResolvers<void>();
    broker.whilePublishing = () => release.promise;
    for (let position = 1; position <= 8; position++) {
      store.commits.push(commit(position, LARGE));
      tail.enqueue(offered(commit(position, LARGE)));
    }
    // Commits that must be read count as one.
    expect(tail.unpublished).toBe(3 + 1);
    release.resolve();
    await tail.drained;
    expect(broker.batches.flat()).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    expect(store.reads).toEqual([3, 2]);
    expect(tail.unpublished).toBe(0);
  });
});
