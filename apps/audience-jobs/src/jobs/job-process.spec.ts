import { describe, expect, it } from '@jest/globals';
import { ExportFormat, JobKind } from '@tidings/events';
import type { Job } from '@tidings/jobs';
import { Fault } from '@tidings/kernel';
import {
  type AddMissingTagsRequest,
  type DeviceBatch,
  type EntryOutcome,
  EntryStatus,
  JobEntry,
  type ResolveDevicesRequest,
} from '@tidings/rpc';
import { identityKeysFrom } from '@tidings/runtime';
import type { JobPart, Resolution } from './job-parts.ts';
import { partProcessor, type ProcessDeps } from './job-process.ts';

const accepted = {
  kind: JobKind.JOB_KIND_SET_TAGS,
  application: 'x',
  entries: 1,
  parts: 1,
  createMissingTags: false,
  bytes: 100,
  exportFormat: ExportFormat.EXPORT_FORMAT_UNSPECIFIED,
};
const job: Job = {
  id: 'job',
  account: 'a',
  accepted,
  acceptedAt: new Date(0),
  parts: 0,
  entries: 0,
  done: 0,
  notFound: 0,
  failed: 0,
  attempts: 0,
  workers: [],
  retryAt: new Date(0),
  status: 'Pending',
};

const partOf = (number: number, identifier: JobEntry['identifier'], tags: Record<string, unknown>): JobPart => ({
  number,
  entries: [JobEntry.create({ identifier, tags })],
  entryBytes: 100,
  isCut: false,
});

const outcomes = ({ entries }: DeviceBatch): EntryOutcome[] =>
  entries.flatMap(({ number, command }) => {
    const names = command?.$case === 'setTags' ? Object.keys(command.value.tags ?? {}) : [];
    const refused = names.filter((name) => name.startsWith('no')).map((name) => [name, 'tag not found']);
    const status = EntryStatus.ENTRY_STATUS_DONE;
    return refused.length === 0
      ? []
      : [{ number, status, refusedTags: Object.fromEntries(refused) as Record<string, string> }];
  });

const sizeOf = (user: string): number => Number(/^\d+$/.exec(user)?.[0] ?? 100);
const MAX_NAMED = 32_768;

function setUp(...given: JobPart[]) {
  let room = 1500;
  const finished: EntryOutcome[][] = [];
  const calls: (DeviceBatch | string)[] = [];
  const userQueries: string[][] = [];
  let rest: JobPart | undefined;
  const parts = {
    find: async (_job: string, number: number) => given[number],
    async *all() {
      yield* given;
    },
    resolve: async (_job: string, part: JobPart, { entries: count, hwids, outcomes: earlier }: Resolution) => {
      const { number, entries } = part;
      rest = { ...part, number: number + 1 / 4096, entries: entries.slice(count) };
      const isCut = count < entries.length;
      return { ...part, hwids, isCut, entries: entries.slice(0, count), ...(earlier && { outcomes: earlier }) };
    },
    next: async () => rest!,
    finish: async (_job: string, _number: number, outcomes: EntryOutcome[]) => void finished.push(outcomes),
  };
  const deps = {
    parts: parts as unknown as ProcessDeps['parts'],
    tags: {
      addMissingTags: async ({ tags }: AddMissingTagsRequest) => {
        const names = tags.map(({ name }) => name);
        calls.push(names.join(' '));
        const refused = names.slice(Math.max(0, room));
        room -= names.length;
        return { refused, reason: refused.length > 0 ? 'no room' : '' };
      },
      listTags: async () => ({ tags: [] }),
    },
    devices: {
      resolve: async ({ userIds }: ResolveDevicesRequest) => {
        userQueries.push(userIds);
        const total = userIds.reduce((sum, user) => sum + sizeOf(user), 0);
        if (total > MAX_NAMED) throw Fault.tooLarge('too many devices');
        const namesOf = (user: string) => Array.from({ length: sizeOf(user) }, (_, i) => `phone-${user}-${i}`);
        return { byUserId: userIds.map((user) => ({ names: namesOf(user) })), byPushToken: [], hwids: [] };
      },
      applyBatch: async (batch: DeviceBatch) => {
        calls.push(batch);
        return { outcomes: outcomes(batch) };
      },
    },
    replicaOf: () => '',
    deviceKey: identityKeysFrom(new Uint8Array(32)).device,
  };
  return { process: partProcessor(deps), calls, finished, userQueries };
}

describe('batches of a part', () => {
  it('contain an entry once for each of its devices, within the size of a call', async () => {
    const part = partOf(0, { $case: 'userId', value: 'u' }, { Level: 1 });
    const sizesOf = async (entryBytes: number): Promise<number[]> => {
      const { process, calls } = setUp({ ...part, entryBytes });
      expect(await process(job)).toMatchObject({ entries: 1, done: 100 });
      return calls.map((batch) => (batch as DeviceBatch).entries.length);
    };
    expect(await sizesOf(4 << 20)).toEqual([...Array.from({ length: 12 }, () => 8), 4]);
    expect(await sizesOf(100)).toEqual([100]);
  });
});

describe('the devices of users', () => {
  const ofUsers = (...users: string[]): JobPart => ({
    number: 3,
    entryBytes: 100,
    isCut: false,
    entries: users.map((value) => JobEntry.create({ identifier: { $case: 'userId', value }, tags: { Level: 1 } })),
  });
  const third = { ...job, parts: 3 };
  const piecesOf = (calls: readonly (DeviceBatch | string)[]): Map<string, number> => {
    const rows = new Map<string, number>();
    for (const { key, entries } of calls as DeviceBatch[]) {
      const piece = key.slice(0, key.lastIndexOf('.'));
      rows.set(piece, (rows.get(piece) ?? 0) + entries.length);
    }
    return rows;
  };
  const process = async (...users: string[]) => {
    const world = setUp(...Array.from({ length: 4 }, () => ofUsers(...users)));
    return { ...world, counts: await world.process(third) };
  };

  it('are requested once, and are rows of each of their entries (R-G4)', async () => {
    const { userQueries, counts, calls } = await process('2', '3', '2');
    expect(userQueries).toEqual([['2', '3']]);
    expect(counts).toEqual({ part: 3, entries: 3, done: 7, notFound: 0, failed: 0 });
    expect([...piecesOf(calls)]).toEqual([['job/3', 7]]);
  });

  it('are processed in divisions of the part, if they exceed one document', async () => {
    const { counts, calls } = await process(...Array.from({ length: 400 }, () => 'u'));
    expect(counts).toEqual({ part: 3, entries: 400, done: 40_000, notFound: 0, failed: 0 });
    expect([...piecesOf(calls)]).toEqual([
      ['job/3', 32_700],
      [`job/${3 + 1 / 4096}`, 7_300],
    ]);
  });

  it('are requested in parts, if they exceed one reply', async () => {
    const { userQueries, counts } = await process('20000', '20001', '5', '6');
    expect(counts).toMatchObject({ entries: 4, done: 40_012, failed: 0 });
    expect(userQueries.map(({ length }) => length)).toEqual([4, 2, 1, 3]);
  });

  it('are processed up to the end of a division, once the worker may not continue', async () => {
    const long = ofUsers(...Array.from({ length: 400 }, () => 'u'));
    const world = setUp(...Array.from({ length: 4 }, () => long));
    await expect(world.process(third, () => false)).rejects.toMatchObject({ kind: 'unavailable' });
    expect([...piecesOf(world.calls).values()]).toEqual([32_700]);
    expect(await world.process(third)).toMatchObject({ entries: 400, done: 40_000 });
  });

  it('fail alone, if those of one user are too many', async () => {
    const { counts, calls, finished } = await process('2', '32769', '3');
    expect(counts).toEqual({ part: 3, entries: 3, done: 5, notFound: 0, failed: 1 });
    expect([...piecesOf(calls).values()]).toEqual([2, 3]);
    expect(finished).toEqual([[], []]);
  });
});

describe('missing tags (R-G6)', () => {
  const phone = { $case: 'hwid', value: 'phone' } as const;
  const creating = (parts: number): Job => ({ ...job, accepted: { ...accepted, parts, createMissingTags: true } });

  it('are added before the first batch, one command per part, independently of part boundaries', async () => {
    const { process, calls } = setUp(
      partOf(0, phone, { Level: null, Name: 'a', Other: 'b' }),
      partOf(1, phone, { Level: 5, Last: 1 }),
    );
    await process(creating(2));
    expect(calls).toEqual(['Name Other', 'Level Last', expect.objectContaining({ key: 'job/0.0' })]);
  });

  it('are added 1,000 at a time, until one exceeds the quota', async () => {
    const tags = Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [`${i < 1500 ? 'in' : 'no'}-${i}`, i]));
    const { process, calls, finished } = setUp(partOf(0, phone, { ...tags, none: null }));
    await process(creating(1));
    expect(calls.map((each) => (typeof each === 'string' ? each.split(' ').length : each.key))).toEqual([
      ...[1000, 1000, 'job/0.0'],
    ]);
    const [[{ refusedTags }]] = finished as [[EntryOutcome]];
    expect(Object.keys(refusedTags)).toHaveLength(3_501);
    expect(refusedTags).toMatchObject({ 'no-1500': 'no room', 'no-4999': 'no room', none: 'tag not found' });
  });
});
