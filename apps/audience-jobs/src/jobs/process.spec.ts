import { describe, expect, it } from '@jest/globals';
import { keyFor } from '@tidings/audience';
import { ExportFormat, JobKind } from '@tidings/events';
import type { Job } from '@tidings/jobs';
import { type DeviceBatch, JobEntry } from '@tidings/rpc';
import type { Piece } from './pieces.ts';
import { pieceProcessor, type ProcessParts } from './process.ts';

const accepted = {
  ...{ kind: JobKind.JOB_KIND_SET_TAGS, application: 'x', entries: 1, pieces: 1, createMissingTags: false },
  exportFormat: ExportFormat.EXPORT_FORMAT_UNSPECIFIED,
};
const job: Job = {
  ...{ id: 'job', account: 'a', accepted, acceptedAt: new Date(0), pieces: 0, entries: 0 },
  ...{ done: 0, notFound: 0, failed: 0, attempts: 0, retryAt: new Date(0) },
  status: 'Pending',
};

const pieceOf = (number: number, identifier: JobEntry['identifier'], tags: Record<string, unknown>): Piece => ({
  ...{ number, entries: [JobEntry.create({ identifier, tags })], entryBytes: 100 },
});

/** A processor of these pieces, where every user has 100 devices, and what it tells the registry, in order. */
function setUp(...given: Piece[]) {
  const told: (DeviceBatch | string)[] = [];
  const pieces = {
    find: async (_job: string, number: number) => given[number],
    async *all() {
      yield* given;
    },
    resolve: async (_job: string, _number: number, hwids: ReadonlyMap<number, readonly string[]>) => hwids,
    finish: async () => undefined,
  };
  const parts = {
    pieces: pieces as unknown as ProcessParts['pieces'],
    accounts: {
      addTag: async ({ name }: { readonly name: string }) => {
        told.push(name);
        return {};
      },
      listTags: async () => ({ tags: [] }),
    },
    devices: {
      resolve: async () => ({
        byUserId: [{ names: Array.from({ length: 100 }, (_, i) => `phone-${i}`) }],
        byPushToken: [],
        hwids: [],
      }),
      applyBatch: async (batch: DeviceBatch) => {
        told.push(batch);
        return { outcomes: [] };
      },
    },
    ...{ replicaOf: () => '', deviceKey: keyFor(new Uint8Array(32), 'device') },
  };
  return { process: pieceProcessor(parts), told };
}

describe('batches of a piece', () => {
  it('hold an entry once for each device that it means, and no more bytes than a call can', async () => {
    const piece = pieceOf(0, { $case: 'userId', value: 'u' }, { Level: 1 });
    const sizesOf = async (entryBytes: number): Promise<number[]> => {
      const { process, told } = setUp({ ...piece, entryBytes });
      expect(await process(job)).toMatchObject({ entries: 1, done: 100 });
      return told.map((batch) => (batch as DeviceBatch).entries.length);
    };
    expect(await sizesOf(4 << 20)).toEqual([...Array.from({ length: 12 }, () => 8), 4]);
    expect(await sizesOf(100)).toEqual([100]);
  });
});

describe('missing tags (R-G6)', () => {
  it('are made before the first batch, wherever pieces end', async () => {
    const phone = { $case: 'hwid', value: 'phone' } as const;
    const { process, told } = setUp(pieceOf(0, phone, { Level: null }), pieceOf(1, phone, { Level: 5 }));
    await process({ ...job, accepted: { ...accepted, pieces: 2, createMissingTags: true } });
    expect(told).toEqual(['Level', expect.objectContaining({ key: 'job/0.0' })]);
  });
});
