import { beforeEach, expect, it } from '@jest/globals';
import { columnsOf, tokenOf, valueOf } from '@tidings/delivery';
import { Content, type SendBatch } from '@tidings/events';
import { randomBase62, seqOf, ShiftedClock, TEST_CHUNK } from '@tidings/kernel';
import { createCollections } from '@tidings/mongo';
import { describeWithMongo } from '@tidings/testing';
import type { Db } from 'mongodb';
import { collections } from '../collections.ts';
import { sendBatch } from '../testing/test-batches.ts';
import { CACHE_MAX_AGE_MS } from './kept-applications.ts';
import { sentValuesRpc } from './sent-values-rpc.ts';
import { SentValuesStore } from './sent-values.ts';
import { idOf, type SentValuesDocument } from './sent-values-documents.ts';

const HOUR_MS = 3_600_000;
const APPLICATION = 'AAAAA-00000';
const CHUNK = 3;
const content = Content.fromPartial({ data: 'the content', tags: ['Name'] });

function batchOf(positions: readonly number[], version: string, fields: Partial<SendBatch> = {}): SendBatch {
  const devices = positions.map((position) => ({
    position,
    token: `token ${position} ${version}`,
    language: 'de',
    badge: position,
    values: [`name ${position} ${version}`],
  }));
  return sendBatch([{ number: 4, devices }], { chunk: CHUNK, content, ...fields });
}

describeWithMongo('the values of rendered pushes', (mongo) => {
  let db: Db;
  let clock: ShiftedClock;
  let store: SentValuesStore;

  const sent = (batch: SendBatch, positions: readonly number[], round = 1) =>
    store.keep({ batch, columns: columnsOf(batch), slice: batch.slices[0]!, round, positions });
  const found = async (batch: SendBatch, ...positions: number[]) =>
    (await store.find([{ id: idOf(batch), positions }])).flatMap(({ batch: part }) => {
      const columns = columnsOf(part);
      return Array.from(
        columns.positions,
        (position, i) => `${position}: ${tokenOf(columns, i)}, ${valueOf(columns, i, 0)}, ${columns.badges[i]}`,
      );
    });
  const line = (position: number, version: string): string =>
    `${position}: token ${position} ${version}, name ${position} ${version}, ${position}`;
  const stored = () => db.collection<SentValuesDocument>('sentValues').find().toArray();
  const bytesIn = ({ rounds }: SentValuesDocument): string => Buffer.from(rounds[1]!.buffer).toString('latin1');

  beforeEach(async () => {
    db = mongo.database(randomBase62(8));
    clock = new ShiftedClock();
    await createCollections(db, collections);
    store = new SentValuesStore(db, clock);
  });

  it('are stored of the devices that were sent to, without the content, if a subscriber needs them', async () => {
    const batch = batchOf([1, 2, 3], 'a');
    await sent(batch, [1, 2, 3]);
    expect(await stored()).toEqual([]);
    await store.applications.keep('default', [APPLICATION]);
    await sent(batch, [1, 3]);
    expect(await found(batch, 3, 2, 1)).toEqual([line(1, 'a'), line(3, 'a')]);
    const [document] = await stored();
    expect(bytesIn(document!)).not.toContain('the content');
    // Test devices have no events.
    await sent(batchOf([1], 'a', { chunk: TEST_CHUNK }), [1]);
    expect(await stored()).toHaveLength(1);
  });

  it('are stored of all applications of an account, and of no other one', async () => {
    await store.applications.keep('default', []);
    await sent(batchOf([1], 'a', { application: 'BBBBB-00000' }), [1]);
    await sent(batchOf([1], 'a', { account: 'another' }), [1]);
    expect((await stored()).map(({ application }) => application)).toEqual(['BBBBB-00000']);
  });

  it('are those of the last claim that sent to a device', async () => {
    await store.applications.keep('default', [APPLICATION]);
    await sent(batchOf([1, 2, 3], 'a'), [1, 2], 1);
    // Its end was not stored: the successor sends to the devices again, as they are by then.
    await sent(batchOf([2, 3], 'b'), [2, 3], 2);
    expect(await found(batchOf([1], 'a'), 1, 2, 3)).toEqual([line(2, 'b'), line(3, 'b'), line(1, 'a')]);
  });

  it('end with the 72 hours in which events are offered', async () => {
    await store.applications.keep('default', [APPLICATION]);
    const batch = batchOf([1], 'a');
    await sent(batch, [1]);
    clock.advance(71 * HOUR_MS);
    expect(await found(batch, 1)).toEqual([line(1, 'a')]);
    clock.advance(2 * HOUR_MS);
    expect(await found(batch, 1)).toEqual([]);
    const later = new SentValuesStore(db, clock);
    expect(await later.applications.has('default', APPLICATION)).toBe(false);
  });

  it('are requested by one query in 250 ms', async () => {
    expect(await store.applications.has('default', APPLICATION)).toBe(false);
    await new SentValuesStore(db, clock).applications.keep('default', [APPLICATION]);
    const startedAt = performance.now();
    while (!(await store.applications.has('default', APPLICATION)))
      expect(performance.now() - startedAt).toBeLessThan(60_000);
    expect(CACHE_MAX_AGE_MS).toBe(250);
  });

  it('are removed with an erased device, and not stored anew for a slice in flight', async () => {
    await store.applications.keep('default', [APPLICATION]);
    const rpc = sentValuesRpc(store);
    const batch = batchOf([1, 2], 'a');
    await sent(batch, [1, 2]);
    await sent(batchOf([7], 'a', { message: 'another' }), [7]);
    await rpc.erase({ devices: [{ account: 'default', application: APPLICATION, seq: seqOf(CHUNK, 2) }] });
    expect(await found(batch, 1, 2)).toEqual([line(1, 'a')]);
    await sent(batch, [1, 2]);
    const rest = (await stored()).map(bytesIn).join();
    expect([rest.includes('token 1 a'), rest.includes('token 7 a'), rest.includes('token 2')]).toEqual([
      true,
      true,
      false,
    ]);
  });

  it('are removed with devices that are erased together, in every chunk and message', async () => {
    await store.applications.keep('default', [APPLICATION]);
    const other = batchOf([1, 2], 'b', { chunk: CHUNK + 1 });
    for (const batch of [batchOf([1, 2, 3], 'a'), batchOf([3, 9], 'c', { message: 'another' })])
      await sent(batch, [1, 2, 3, 9]);
    await sent(other, [1, 2]);
    const seqs = [seqOf(CHUNK, 1), seqOf(CHUNK, 3), seqOf(CHUNK + 1, 2)];
    const devices = seqs.map((seq) => ({ account: 'default', application: APPLICATION, seq }));
    await sentValuesRpc(store).erase({ devices });
    const rest = (await stored()).map(bytesIn).join();
    const texts = ['token 1 a', 'token 2 a', 'token 3 a', 'token 3 c', 'token 9 c', 'token 1 b', 'token 2 b'];
    expect(texts.filter((text) => rest.includes(text))).toEqual(['token 2 a', 'token 9 c', 'token 1 b']);
  });

  it('are removed with their application', async () => {
    await store.applications.keep('default', []);
    await sent(batchOf([1], 'a'), [1]);
    await sent(batchOf([1], 'a', { application: 'BBBBB-00000' }), [1]);
    await store.purge(APPLICATION);
    expect((await stored()).map(({ application }) => application)).toEqual(['BBBBB-00000']);
  });

  it('are requested within limits', async () => {
    const rpc = sentValuesRpc(store);
    const slices = [
      { message: 'm', application: 'a', chunk: 0, slice: undefined, positions: Array<number>(1_001).fill(0) },
    ];
    await expect(rpc.find({ slices })).rejects.toThrow('at most 1000 devices');
    const devices = Array(1_001).fill({ account: '', application: '', seq: 0 }) as [];
    await expect(rpc.erase({ devices })).rejects.toThrow('at most 1000 devices');
    await expect(rpc.keep({ of: [{ account: 'a', applications: Array<string>(10_001).fill('a') }] })).rejects.toThrow(
      'at most 10000 applications',
    );
  });
});
