import type { InRecord } from '../broker-port.ts';
import { type Batch, recordsOf, without } from './embedded-batch.ts';
import type { PartitionLog } from './partition-log.ts';
import type { Store } from './embedded-store.ts';

const READ_BATCHES = 8;
const WINDOW_RECORDS = 50_000;

const endOf = ({ first, count }: Batch): number => first + count;

async function* batches(log: PartitionLog, store: Store, from: number, to: number): AsyncGenerator<Batch[]> {
  for (let next = from; next < to;) {
    const read = await store.read(log, next, to, READ_BATCHES);
    const last = read.at(-1);
    if (!last) return;
    yield read;
    next = endOf(last);
  }
}

async function filter(
  log: PartitionLog,
  store: Store,
  to: number,
  keep: (record: InRecord) => boolean,
): Promise<number> {
  let keptCount = 0;
  for await (const read of batches(log, store, log.start, to)) {
    const changed: Batch[] = [];
    const empty: Batch[] = [];
    for (const batch of read) {
      const records = recordsOf(batch, log.topic, log.partition);
      const keptRecords = records.filter(keep);
      keptCount += keptRecords.length;
      if (keptRecords.length === records.length) continue;
      // The last batch stays even if empty: it marks the end of the partition.
      if (keptRecords.length === 0 && endOf(batch) < log.end) empty.push(batch);
      else changed.push(without(batch, keptRecords));
    }
    if (changed.length > 0) await store.rewrite(log, changed);
    if (empty.length > 0)
      await store.remove(empty.map(({ first }) => ({ ...log.partitionId, from: first, below: first + 1 })));
  }
  return keptCount;
}

export async function compact(log: PartitionLog, store: Store): Promise<void> {
  const newest = new Map<string, number>();
  let to = log.end;
  for await (const read of batches(log, store, log.clean, to)) {
    for (const batch of read) {
      for (const { key, offset } of recordsOf(batch, log.topic, log.partition)) newest.set(key, offset);
    }
    const end = endOf(read.at(-1) as Batch);
    if (end - log.clean >= WINDOW_RECORDS) {
      to = end;
      break;
    }
  }
  const kept = await filter(log, store, to, ({ key, offset }) => offset >= (newest.get(key) ?? 0));
  await store.raiseFloors([{ ...log.partitionId, clean: to }]);
  log.clean = to;
  log.live = kept;
}
